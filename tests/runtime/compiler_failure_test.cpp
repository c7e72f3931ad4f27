// Whether a compiler failed through the program's fault or this machine's.
#include "runtime/compile/compiler_failure.h"

#include <csignal>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace foldtune::test {
namespace {

constexpr int kOfSignal = 128;

TEST_CASE("Compiler failure: where the compiler says what is wrong, it is the program's") {
  for (const std::string& log : std::vector<std::string>{
           "program:2:5: error: 'x' was not declared in this scope\n",
           "In file included from program:1:\nmap:1:9: fatal error: x.h: No such file\n",
           "map:1:10: fatal error: 'x.h' file not found\n",
           "map:1:9: fatal error: template instantiation depth exceeds maximum of 900\n",
           "map: Assembler messages:\nmap:1: Error: no such instruction: `nosuch'\n",
           "map:1: Error: can't open x.inc for reading: No such file or directory\n",
           "map:1:5: fatal error: use of undeclared identifier 'x'\n",
           "map:1:7: fatal error: bracket nesting level exceeded maximum of 256\n",
           "map:1:12: sorry, unimplemented: non-trivial designated initializers not supported\n",
           "map:1: error: 'x' was not declared in this scope\n",
           "map(1,5): error: use of undeclared identifier 'x'\n",
           "map +1:5: error: use of undeclared identifier 'x'\n",
           "program:(.text+0x5): undefined reference to `f'\ncollect2: error: ld returned 1 exit "
           "status\n",
           // The words of a lack are the program's own here.
           "map:1:27: error: static assertion failed: No space left on device\n",
           "map:1:27: error: static assertion failed: fatal error: No space left on device\n",
           "map:1:27: error: no\nstatic_assert(false, \"g++: ld terminated with signal 9\");\n",
           "map:1:27: error: " + std::string(1'000'000, 'x') + "\n",
           "map:1:27: error: static assertion failed: g++: ld terminated with signal 9\n",
           "map:1:9: error: no\nstatic_assert(false, \"out of memory\");\n  ^\n"}) {
    CAPTURE(log);
    CHECK(is_fault_of_program(1, log));
  }
  CHECK(is_fault_of_program({}, ""));  // it took too long
}

TEST_CASE("Compiler failure: where nothing is said of the program, it is this machine's") {
  for (const std::string& log : std::vector<std::string>{
           "cc1plus: fatal error: error writing to /tmp/x.s: No space left on device\n",
           "name expressions:1:469: fatal error: error writing to /tmp/x.s: File too large\n",
           "name expressions:1:469: fatal error: error writing to /tmp/x.s: Disk quota exceeded\n",
           "{standard input}:300: Fatal error: can't write 5 bytes to section .text of x.o: 'No "
           "space left on device'\n",
           "{standard input}:300: Error: can't close x.o: No space left on device\n",
           "virtual memory exhausted: Cannot allocate memory\n",
           "c++: fatal error: cannot execute 'cc1plus': vfork: Resource temporarily "
           "unavailable\ncompilation terminated.\n",
           "g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n",
           "g++: internal compiler error: File size limit exceeded signal terminated program as\n",
           "collect2: fatal error: ld terminated with signal 9 [Killed]\n",
           "clang: error: unable to execute command: Killed\nclang: error: linker command failed "
           "due to signal (use -v to see invocation)\n",
           // The assembler saw half of what the compiler was to write.
           "{standard input}:512: Error: unknown pseudo-op: `.l'\ng++: fatal error: Killed signal "
           "terminated program cc1plus\n",
           // What it read came through a pipe: the compiler ended without a signal, and no driver
           // says so.
           "cc1plus: out of memory allocating 65536 bytes\n{standard input}:1: Error: no such "
           "instruction: `mo'\n",
           // And the linker what the assembler made of it.
           "ld: x.o: in function `f':\nmap:(.text+0x11): undefined reference to "
           "`foldtune::platform::current'\ncollect2: error: ld returned 1 exit status\n",
           "ld: warning: /tmp/x.o: missing .note.GNU-stack section implies executable stack\n"
           "map:(.text+0x11): undefined reference to `f'\n",
           "map:(.text+0x11): undefined reference to `f'\n"
           "ld: warning: /tmp/x.o: missing .note.GNU-stack section implies executable stack\n",
           "/tmp/x.s:194:1: error: Unfinished frame!\n",
           "/tmp/x.s:99: Error: expecting operand after ','; got nothing\n",
           std::string(1'000'000, ':'), std::string(1'000'000, '1'),
           "map:1:469: fatal error: x.h: Too many open files\n",
           "my g++: fatal error: Killed signal terminated program cc1plus\nmap:1: Error: no such "
           "instruction: `mo'\n",
           "program:2:5: internal compiler error: Segmentation fault\n",
           "PLEASE submit a bug report\nStack dump:\n",
           "cc1plus: error while loading shared libraries: libmpc.so.3: cannot open shared object "
           "file: Error 24\n",
           "ccache: error: failed to create temporary file x: Read-only file system\n",
           "terminate called after throwing an instance of 'std::bad_alloc'\n",
           "LLVM ERROR: IO failure: No space left on device\n",
           "collect2: error: ld returned 1 exit status\n", ""}) {
    CAPTURE(log);
    CHECK_FALSE(is_fault_of_program(1, log));
  }
  CHECK_FALSE(is_fault_of_program(0, "some words\n"));  // without an output
  CHECK_FALSE(is_fault_of_program(kOfSignal + SIGKILL, ""));
  CHECK_FALSE(is_fault_of_program(kOfSignal + SIGSEGV, ""));
}

TEST_CASE("Compiler failure: colours and links are left out of what is read and shown") {
  CHECK(without_terminal_sequences("map:1:5: \x1b[01;31m\x1b[Kerror: \x1b[m\x1b[Kno") ==
        "map:1:5: error: no");
  CHECK(without_terminal_sequences("no [\x1b]8;;https://gcc.gnu.org\x07-Wx\x1b]8;;\x07]") ==
        "no [-Wx]");
  CHECK(without_terminal_sequences("\x1b]8;;https://x\x1b\\-Wx\x1b]8;;\x1b\\") == "-Wx");
}

TEST_CASE("Compiler failure: a status beyond those of signals is a program's own") {
  CHECK(signal_of(kOfSignal + SIGKILL) == SIGKILL);
  CHECK_FALSE(signal_of(kOfSignal));
  CHECK_FALSE(signal_of(1));
  CHECK_FALSE(signal_of(254));
}

}  // namespace
}  // namespace foldtune::test
