"""Gets a URL with pycurl and prints wall-clock seconds, processor seconds and bytes."""
import sys
import time

import pycurl

url, count, width = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
total = 0


def write(data):
    global total
    total += len(data)


def make():
    easy = pycurl.Curl()
    easy.setopt(pycurl.URL, url)
    easy.setopt(pycurl.PROXY, "")
    easy.setopt(pycurl.NOSIGNAL, 1)
    easy.setopt(pycurl.WRITEFUNCTION, write)
    return easy


start, cpu = time.monotonic(), time.process_time()
if width == 1:
    easy = make()
    for _ in range(count):
        easy.perform()
else:
    multi = pycurl.CurlMulti()
    handles = [make() for _ in range(width)]
    for easy in handles:
        multi.add_handle(easy)
    started, done = width, 0
    while done < count:
        multi.perform()
        while True:
            left, good, bad = multi.info_read()
            assert not bad, bad
            for easy in good:
                done += 1
                multi.remove_handle(easy)
                if started < count:
                    multi.add_handle(easy)
                    started += 1
            if not left:
                break
        if done < count:
            multi.select(1.0)
print(time.monotonic() - start, time.process_time() - cpu, total)
