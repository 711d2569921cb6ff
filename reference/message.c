/* Messages over SOCK_SEQPACKET with SCM_RIGHTS. */
#include "reference/message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control { /* aligned as the kernel wants it */
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int message_pair(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}

static void attach(struct msghdr *header, union control *control, int descriptor)
{
	struct cmsghdr *rights = &control->header;

	*rights = (struct cmsghdr){
		.cmsg_len = CMSG_LEN(sizeof(int)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	};
	memcpy(CMSG_DATA(rights), &descriptor, sizeof(descriptor));
	header->msg_control = control;
	header->msg_controllen = sizeof(*control);
}

int message_send(int socket, const void *message, size_t length, int descriptor)
{
	struct iovec part = {.iov_base = (void *)message, .iov_len = length};
	struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
	union control control = {0};
	ssize_t sent;

	if (descriptor >= 0)
		attach(&header, &control, descriptor);
	do
		sent = sendmsg(socket, &header, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -1 : 0;
}

static int attached(struct msghdr *header)
{
	struct cmsghdr *rights = CMSG_FIRSTHDR(header);
	int descriptor;

	if (!rights || rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&descriptor, CMSG_DATA(rights), sizeof(descriptor));
	return descriptor;
}

int message_receive(int socket, void *message, size_t length, int *descriptor)
{
	struct iovec part = {.iov_base = message, .iov_len = length};
	union control control;
	struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control};
	ssize_t received;

	/* ECONNRESET: the other end closed with messages unread; what it sent still follows */
	do {
		header.msg_controllen = sizeof(control);
		received = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
	} while (received < 0 && (errno == EINTR || errno == ECONNRESET));
	*descriptor = received < 0 ? -1 : attached(&header);
	if (received <= 0)
		return (int)received;
	if ((size_t)received == length && !(header.msg_flags & MSG_CTRUNC))
		return 1;
	if (*descriptor >= 0)
		close(*descriptor);
	*descriptor = -1;
	errno = EPROTO;
	return -1;
}
