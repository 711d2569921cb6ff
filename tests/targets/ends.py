"""ends.py meant: processes end in the ways in which programs mean them to. ends.py died: a worker of a pool fails. Prints its pid."""
import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import time


def work(number):
    time.sleep(0.02)
    return number


def fails():
    sys.stderr.close()
    raise ValueError("seen by who started it")


def process(target, *args, **more):
    one = multiprocessing.Process(target=target, args=args, **more)
    one.start()
    return one


def die(_):
    time.sleep(0.3)  # it is seen before
    os._exit(4)


def died():
    with multiprocessing.Pool(1) as pool:
        pid = pool.apply(os.getpid)
        pool.apply_async(die, (0,))
        time.sleep(1)
    return pid


def meant():
    with multiprocessing.Pool(2, maxtasksperchild=3) as pool:
        pool.map(work, range(20), chunksize=1)
    ended = multiprocessing.Pool(2)
    ended.map(work, range(20))
    ended.terminate()
    ended.join()
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        list(executor.map(work, range(20)))
    killed, failed = process(time.sleep, 30), process(fails)
    time.sleep(0.5)
    killed.kill()
    killed.join()
    failed.join()
    assert (killed.exitcode, failed.exitcode) == (-signal.SIGKILL, 1)
    subprocess.run(["false"])
    subprocess.run(["sh", "-c", "yes | head -n 1"], stdout=subprocess.DEVNULL)
    other = subprocess.Popen(["sleep", "30"])
    time.sleep(0.3)
    other.terminate()
    other.wait()
    process(time.sleep, 30, daemon=True)  # the interpreter ends it
    left = multiprocessing.Pool(2)
    left.map(work, range(20))
    return 0


if __name__ == "__main__":
    print({"died": died, "meant": meant}[sys.argv[1]]())
