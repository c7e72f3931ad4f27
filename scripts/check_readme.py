"""check_readme.py BUILD: tries out README.md with the build in BUILD.

Runs the commands of its sh blocks (except what fetches the source, what is a test stage of its own, and
what asks for a CUDA device), and compiles its C++ blocks. Of the build that scripts/quickstart.sh makes,
build/release, it runs what the text says of installing it, too."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = re.compile(r"^(git|cd|sudo|apt-get|scripts/|cmake|ctest)\b|cuda:")

build = pathlib.Path(sys.argv[1]).resolve()
failures = 0


def check(what, command, **options):
    global failures
    print(f"--- {what}", flush=True)
    if subprocess.run(command, **options).returncode != 0:
        print(f"FAILED: {what}", flush=True)
        failures += 1


def commands(block):
    for line in block.replace("\\\n", " ").splitlines():
        line = re.sub(r"^\$ ", "", line.strip())
        if line and not line.startswith("#"):
            yield line


readme = pathlib.Path("README.md").read_text()
blocks = re.findall(r"^```(\w+)\n(.*?)^```", readme, re.M | re.S)
with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, FOLDTUNE_DB=f"{scratch}/tuning.db",
                       PATH=f"{build}/tuner:{os.environ['PATH']}")
    for language, block in blocks:
        if language in ("sh", "bash", "console"):
            for command in commands(block):
                script = re.match(r"(scripts/\S+)", command)
                if script and not os.access(script[1], os.X_OK):
                    print(f"FAILED: {script[1]} does not exist or cannot be run")
                    failures += 1
                if SKIPPED.search(command):
                    print(f"--- not tried here: {command}", flush=True)
                    continue
                command = re.sub(r"(\./)?build/\w+/", f"{build}/", command)
                check(command, ["bash", "-euo", "pipefail", "-c", command], env=environment)
        elif language in ("cpp", "c++") and "#include" in block:
            compile_cpp = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                           "-Iruntime/include", "-Itemplates/include", "-isystem",
                           os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/include", "-x", "c++", "-"]
            if "<cuda_runtime.h>" in block and subprocess.run(
                    compile_cpp, input="#include <cuda_runtime.h>\n", text=True, stderr=subprocess.DEVNULL).returncode:
                print("--- not tried here, for want of the CUDA runtime's headers: C++ example", flush=True)
                continue
            check("C++ example", compile_cpp, input=block, text=True)
    for command in re.findall(r"`(cmake --install [^`]*)`", readme):
        if build != pathlib.Path("build/release").resolve():
            print(f"--- not tried here: {command}", flush=True)
            continue
        check(command, ["bash", "-euo", "pipefail", "-c", command.replace("PREFIX", f"{scratch}/prefix")])
        for part in ("bin/foldtune", "include/foldtune/foldtune.h", "lib/**/libfoldtune.*", "lib/**/foldtuneConfig.cmake"):
            if not list(pathlib.Path(scratch, "prefix").glob(part)):
                print(f"FAILED: {command} installs no {part}")
                failures += 1
sys.exit(1 if failures else 0)
