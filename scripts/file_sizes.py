"""file_sizes.py DIRECTORY OUTPUT: writes the size in bytes of every file below DIRECTORY as raw f32,
and prints the exact sum of what it wrote."""
import array
import math
import os
import sys

directory, output = sys.argv[1:]
sizes = array.array("f")
for folder, _, names in os.walk(directory):
    for name in names:
        path = os.path.join(folder, name)
        if not os.path.islink(path):
            try:
                sizes.append(os.path.getsize(path))
            except OSError:
                pass  # gone meanwhile
with open(output, "wb") as file:
    sizes.tofile(file)
print(repr(math.fsum(sizes)))
