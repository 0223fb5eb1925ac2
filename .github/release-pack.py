"""Packs files of a folder as a gzipped tar archive, the same bytes each time: release-pack.py ARCHIVE FOLDER FILE...

Neither the order of the arguments, nor the owner and the times of the files, nor the name of the archive changes a byte.
The time of each file is SOURCE_DATE_EPOCH, and the first file is the program.
"""

import gzip
import os
import sys
import tarfile


def main():
    archive, folder, program, *others = sys.argv[1:]
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    with open(archive, "wb") as raw:
        with gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=9, mtime=epoch) as packed:
            with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
                for name in sorted([program, *others]):
                    path = os.path.join(folder, name)
                    entry = tarfile.TarInfo(name)
                    entry.size = os.path.getsize(path)
                    entry.mtime = epoch
                    entry.mode = 0o755 if name == program else 0o644
                    with open(path, "rb") as content:
                        tar.addfile(entry, content)


main()
