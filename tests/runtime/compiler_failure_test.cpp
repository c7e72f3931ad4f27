// Whether a compiler failed through the program's fault or this machine's.
#include "runtime/compile/compiler_failure.h"

#include <csignal>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace foldtune::test {
namespace {

constexpr int kOfSignal = 128;

TEST_CASE("Compiler failure: where the compiler says why, it is the program's") {
  for (const std::string& log : std::vector<std::string>{
           "program:2:5: error: 'x' was not declared in this scope\n",
           "In file included from program:1:\nmap:1:9: fatal error: x.h: No such file\n",
           "map: Assembler messages:\nmap:1: Error: no such instruction: `nosuch'\n",
           "program:(.text+0x5): undefined reference to `f'\ncollect2: error: ld returned 1 exit "
           "status\n",
           "ld: relocation R_X86_64_32S can not be used\nclang: error: linker command failed\n",
           // The words of a lack are the program's own here.
           "map:1:27: error: static assertion failed: No space left on device\n",
           "map:1:9: error: no\nstatic_assert(false, \"out of memory\");\n  ^\n"}) {
    CAPTURE(log);
    CHECK(is_fault_of_program(1, log));
  }
  CHECK(is_fault_of_program(254, "PLEASE submit a bug report\nStack dump:\n"));
  CHECK(is_fault_of_program(kOfSignal + SIGSEGV, ""));
  CHECK(is_fault_of_program({}, ""));  // it took too long
}

TEST_CASE("Compiler failure: where it lacks something, or says nothing, it is this machine's") {
  for (const std::string& log : std::vector<std::string>{
           "cc1plus: fatal error: error writing to /tmp/x.s: No space left on device\n",
           "{standard input}:300: Fatal error: can't write 5 bytes to section .text of x.o: 'No "
           "space left on device'\n",
           "virtual memory exhausted: Cannot allocate memory\n",
           "c++: fatal error: cannot execute 'cc1plus': vfork: Resource temporarily "
           "unavailable\ncompilation terminated.\n",
           "g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n",
           "terminate called after throwing an instance of 'std::bad_alloc'\n",
           "collect2: error: ld returned 1 exit status\n", ""}) {
    CAPTURE(log);
    CHECK_FALSE(is_fault_of_program(1, log));
  }
  CHECK_FALSE(is_fault_of_program(0, "some words\n"));  // without an output
  CHECK_FALSE(is_fault_of_program(kOfSignal + SIGKILL, ""));
  CHECK_FALSE(is_fault_of_program(kOfSignal + SIGABRT,
                                  "LLVM ERROR: IO failure: No space left on device\n"));
}

TEST_CASE("Compiler failure: a status beyond those of signals is a program's own") {
  CHECK(signal_of(kOfSignal + SIGKILL) == SIGKILL);
  CHECK_FALSE(signal_of(kOfSignal));
  CHECK_FALSE(signal_of(1));
  CHECK_FALSE(signal_of(254));
}

}  // namespace
}  // namespace foldtune::test
