"""Map-style loading in the order of torch's: names, states and methods that the hook looks for."""
import multiprocessing


class DataLoader:
    def __init__(self, dataset, num_workers=0, persistent_workers=False):
        self.dataset, self.num_workers = dataset, num_workers
        self.persistent_workers, self.prefetch_factor, self.batch_size = persistent_workers, 2, 1
        self.multiprocessing_context = multiprocessing.get_context("fork")
        self.batch_sampler = self.sampler = self._iterator = None

    def __iter__(self):
        if not self.num_workers:
            return _SingleProcessDataLoaderIter(self)
        if not self.persistent_workers:
            return _MultiProcessingDataLoaderIter(self)
        if self._iterator is None:
            self._iterator = _MultiProcessingDataLoaderIter(self)
        else:
            self._iterator._reset(self)
        return self._iterator


class _BaseDataLoaderIter:
    def __init__(self, loader):
        self._dataset = loader.dataset
        self._persistent_workers = loader.persistent_workers
        self._sampler_iter = iter(range(len(loader.dataset)))

    def __iter__(self):
        return self

    def __next__(self):
        return self._next_data()


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    def _next_data(self):
        return self._dataset[next(self._sampler_iter)]


def _worker_loop(dataset, indices, results):
    for task, index in iter(indices.get, None):
        results.put((task, dataset[index]))


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    def __init__(self, loader):
        super().__init__(loader)
        context = loader.multiprocessing_context
        self._shutdown, self._workers, self._index_queues = False, [], []
        self._results = context.SimpleQueue()
        for _ in range(loader.num_workers):
            self._index_queues.append(context.SimpleQueue())
            self._workers.append(context.Process(
                target=_worker_loop, daemon=True,
                args=(self._dataset, self._index_queues[-1], self._results)))
            self._workers[-1].start()
        self._reset(loader, first_iter=True)

    def _reset(self, loader, first_iter=False):
        self._sampler_iter = iter(range(len(loader.dataset)))
        self._task_info, self._send_idx, self._rcvd_idx = {}, 0, 0
        self._workers_status = [True] * len(self._workers)
        for _ in range(2 * len(self._workers)):
            self._try_put_index()

    def _try_put_index(self):
        for index in self._sampler_iter:
            worker = self._send_idx % len(self._workers)
            self._index_queues[worker].put((self._send_idx, index))
            self._task_info[self._send_idx] = (worker,)
            self._send_idx += 1
            return

    def _next_data(self):
        if self._rcvd_idx == self._send_idx:
            if not self._persistent_workers:
                self._shutdown_workers()
            raise StopIteration
        while len(self._task_info[self._rcvd_idx]) == 1 and any(self._workers_status):
            task, data = self._results.get()
            self._task_info[task] += (data,)
        _, data = self._task_info.pop(self._rcvd_idx)
        self._rcvd_idx += 1
        self._try_put_index()
        return data

    def _shutdown_workers(self):
        if self._shutdown:
            return
        self._shutdown = True
        for worker, queue in zip(self._workers, self._index_queues):
            queue.put(None)
            worker.join()

    def __del__(self):
        self._shutdown_workers()
