# Installation. The shim is private: not in the linker's path, without a version in its name.

ifneq ($(filter $(O)/libloopmem.so,$(PROGRAMS)),)
install-shim = install -D -m 644 $(O)/libloopmem.so $(DESTDIR)$(PREFIX)/lib/loopmem/libloopmem.so
endif

install: $(PROGRAMS) $(DOCS) ## install under $(DESTDIR)$(PREFIX)
	$(call say,INSTALL,$(DESTDIR)$(PREFIX))
	$(Q)install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin $(filter-out %.so,$(PROGRAMS))
	$(Q)$(install-shim)
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man1 $(MAN_PAGES)
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(O)/completion/loopmem
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/include inject/loopmem.h

.PHONY: install
