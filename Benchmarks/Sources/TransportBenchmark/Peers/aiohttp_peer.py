"""Gets a URL with aiohttp and prints wall-clock seconds, processor seconds and bytes."""
import asyncio
import sys
import time

import aiohttp

url, count, width = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


async def main():
    total = 0

    async def work(share):
        nonlocal total
        for _ in range(share):
            async with session.get(url) as response:
                total += len(await response.read())

    async with aiohttp.ClientSession() as session:
        shares = [count // width + (index < count % width) for index in range(width)]
        await asyncio.gather(*(work(share) for share in shares))
    return total


start, cpu = time.monotonic(), time.process_time()
total = asyncio.run(main())
print(time.monotonic() - start, time.process_time() - cpu, total)
