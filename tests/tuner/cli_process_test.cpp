// The program among others: its streams, signals, limits, and what it leaves behind.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "tests/catch.h"
#include "tests/tuner/npy_file.h"
#include "tests/tuner/npz_file.h"
#include "tests/tuner/tuned_database.h"
#include "tests/tuner/tuned_on_cpu.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

/// Runs a line of the shell, in which $P is the program and $D the folder `place`.
int in_shell(const Workplace& place, const std::string& line) {
  const std::string command = "P='" FOLDTUNE_PROGRAM "'; D='" + place.path().string() +
                              "'; export FOLDTUNE_DB='" + tuned_on_cpu().place.database() + "'; " +
                              line;
  const int status = std::system(command.c_str());
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

void wait_for_text(const RunningProgram& program, const std::string& text) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (program.err_so_far().find(text) == std::string::npos &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::vector<std::string> long_tuning() {
  return {"tune", "--device", "cpu", "--n", "2^12..2^16:4", "--budget", "10m"};
}

RunningProgram start_long_tuning(Workplace& place) {
  place.set("TMPDIR", place.path());
  return place.start(long_tuning());
}

/// One that a signal is to end.
struct Tuning {
  int signal;
  Workplace place{};
  RunningProgram program = start_long_tuning(place);
};

/// What was exported, but for when: two runs may be in two seconds.
std::string exported(const std::string& path) {
  const std::string text = read_file(path);
  const std::size_t begin = text.find("\"exported_at\"");
  const std::size_t end = text.find('\n', begin);
  REQUIRE(end != std::string::npos);
  return text.substr(0, begin) + text.substr(end);
}

TEST_CASE(
    "A standard error that is closed, full or left by its reader costs nothing but messages") {
  const Workplace place;
  CHECK(in_shell(place, "$P export -o $D/plain 2> $D/said") == 0);
  const std::string plain = exported(place.file("plain"));
  REQUIRE_THAT(read_file(place.file("said")), ContainsSubstring("exported"));
  CHECK(in_shell(place, "$P export -o $D/closed 2>&-") == 0);
  CHECK(exported(place.file("closed")) == plain);
  CHECK(in_shell(place, "$P export -o $D/full 2> /dev/full") == 0);
  CHECK(exported(place.file("full")) == plain);
  CHECK(in_shell(place, "($P export -o $D/left; echo $? > $D/code) 2>&1 | true") == 0);
  CHECK(exported(place.file("left")) == plain);
  CHECK(read_file(place.file("code")) == "0\n");
  // Errors keep their codes.
  CHECK(in_shell(place, "$P fold 2> /dev/full") == kUsage);
  CHECK(in_shell(place, "$P show --db $D/none 2>&-") == kDatabase);
  CHECK(in_shell(place, "$P export -o $D/all 0<&- 1>&- 2>&-") == 0);
  CHECK(exported(place.file("all")) == plain);
}

TEST_CASE("run reads an array of an .npz file on the standard input by name") {
  const Workplace place;
  const std::string run = "$P run --device cpu --repeat 1 ";
  const std::string header = npy_header("<f4", "(2,)");
  place.write("x.npz", npz_file({{"x.npy", npy_file(header, bytes_of<float>({1, 2}))},
                                 {"y.npy", npy_file(header, bytes_of<float>({3, 4}))}}));
  CHECK(in_shell(place, "cat $D/x.npz | " + run + "-:y > $D/out") == 0);
  CHECK_THAT(read_file(place.file("out")),
             ContainsSubstring("result  7\n") && ContainsSubstring("sum f32 2 in -:y ("));
  CHECK(in_shell(place, run + "- < $D/x.npz 2> $D/said") == kUsage);
  CHECK_THAT(read_file(place.file("said")), ContainsSubstring("name one, as in -:x"));
  CHECK(in_shell(place, run + "--op dot -:x -:y < $D/x.npz 2> $D/said") == kUsage);
  CHECK_THAT(read_file(place.file("said")), ContainsSubstring("read once"));
}

TEST_CASE("run does not write its results over the file that is its standard input") {
  const Workplace place;
  const std::string run = "$P run --device cpu --repeat 1 --op sum --axis 1 ";
  const std::string array = npy_file(npy_header("<f4", "(1, 2)"), bytes_of<float>({1, 2}));
  const std::string file = place.write("x.npy", array);
  const std::string zip = place.write("x.npz", npz_file({{"x.npy", array}}));
  const std::string zipped = read_file(zip);
  CHECK(in_shell(place, run + "- --output $D/x.npy < $D/x.npy 2> $D/said") == kFile);
  CHECK_THAT(read_file(place.file("said")), ContainsSubstring("x.npy"));
  CHECK(in_shell(place, run + "-:x --output $D/x.npz < $D/x.npz 2> $D/said") == kFile);
  CHECK(read_file(file) == array);
  CHECK(read_file(zip) == zipped);
}

TEST_CASE("run refuses a pipe that is named twice, which it would wait for") {
  const Workplace place;
  const std::string run = "$P run --device cpu --type f32 --op dot ";
  CHECK(in_shell(place, "mkfifo $D/pipe && " + run + "$D/pipe $D/pipe 2> $D/said") == kUsage);
  CHECK_THAT(read_file(place.file("said")), ContainsSubstring("pipe, a pipe, can be read once"));
  CHECK(in_shell(place, run + "$D/pipe:x $D/../$(basename $D)/pipe:y 2> $D/said") == kUsage);
  CHECK_THAT(read_file(place.file("said")), ContainsSubstring("pipe, a pipe, can be read once"));
  CHECK(in_shell(place, "true | " + run + "- /dev/stdin 2> $D/said") == kUsage);
  CHECK_THAT(read_file(place.file("said")), ContainsSubstring("can be read once"));
}

TEST_CASE("A standard input that is a file is read from where it stands on") {
  const Workplace place;
  const std::string skip = "(dd bs=1 count=5 of=/dev/null 2> $D/said; $P ";
  const std::string run = skip + "run --device cpu --repeat 1 ";
  const std::string npy = npy_file(npy_header("<f4", "(2,)"), bytes_of<float>({3, 4}));
  place.write("raw", std::string(5, '\x7f') + "\x03\x04");
  place.write("x.npy", "12345" + npy);
  place.write("x.npz", "12345" + npz_file({{"x.npy", npy}, {"y.npy", npy}}));
  for (const std::string arguments :
       {"--type u8 --raw -) < $D/raw", "-) < $D/x.npy", "-:y) < $D/x.npz"}) {
    CAPTURE(arguments);
    CHECK(in_shell(place, run + arguments + " > $D/out") == 0);
    CHECK_THAT(read_file(place.file("out")), ContainsSubstring("result  7\n"));
  }
  REQUIRE(in_shell(place, "(printf 12345; $P export 2> $D/said) > $D/all.json") == 0);
  CHECK(in_shell(place, skip + "import --db $D/new.db -) < $D/all.json > $D/out") == 0);
  CHECK_THAT(read_file(place.file("out")), ContainsSubstring(" 0 already there, 0 refused"));
  CHECK(in_shell(place, "$P import --db $D/none.db - < $FOLDTUNE_DB 2> $D/said") == kFile);
  CHECK_THAT(read_file(place.file("said")), ContainsSubstring("the standard input is a database"));
}

TEST_CASE("By whatever name a file goes to the standard output, it is -o -") {
  const Workplace place;
  REQUIRE(in_shell(place, "$P export > $D/plain 2> $D/said") == 0);
  const std::string plain = exported(place.file("plain"));
  std::vector<std::string> verbs{"export -o", "landscape --n 1000 --kernel-tuner", "bundle -o"};
  if (place.run({"report", "--help"}).exit_code == 0) verbs.emplace_back("report -o");
  for (const std::string name :
       {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "$D/out", "$D/./out", "$D/link"}) {
    CAPTURE(name);
    REQUIRE(in_shell(place, "rm -f $D/out $D/link; touch $D/out; ln -s out $D/link") == 0);
    CHECK(in_shell(place, "$P export -o " + name + " > $D/out 2> $D/said") == 0);
    CHECK(exported(place.file("out")) == plain);
    for (const std::string& verb : verbs) {
      CAPTURE(verb);
      CHECK(in_shell(place, "$P " + verb + " " + name + " --json > $D/out 2> $D/said") == kUsage);
      CHECK_THAT(read_file(place.file("said")),
                 ContainsSubstring("--json is printed to the stand"));
    }
  }
  CHECK(in_shell(place, "$P export -o /dev/stdout 2> $D/said | cat > $D/piped") == 0);
  CHECK(exported(place.file("piped")) == plain);
  // What is said would be lost.
  CHECK(in_shell(place, "$P export -o /dev/stderr 2> $D/said") == kFile);
  CHECK_THAT(read_file(place.file("said")), ContainsSubstring("it is the standard error's"));
}

TEST_CASE("A tuning whose messages cannot be written is tuned") {
  const Workplace place;
  const std::string tune = "$P tune --device cpu --n 1K --max-evals 1 ";
  CHECK(in_shell(place, tune + "--db $D/full.db 2> /dev/full") == 0);
  CHECK(in_shell(place, tune + "--db $D/closed.db 1>&- 2>&-") == kFile);
  for (const std::string name : {"full.db", "closed.db"}) {
    CHECK_THAT(place.run({"show", "--db", place.file(name)}).out, ContainsSubstring("sum f32"));
  }
}

TEST_CASE("A standard output that is closed or full is an error that says so, in every verb") {
  const Workplace place;
  place.write("numbers", std::string(400, '\0'));
  std::vector<std::string> verbs{"show --json",
                                 "show --csv",
                                 "show",
                                 "doctor",
                                 "devices",
                                 "devices --json",
                                 "--help",
                                 "tune --help",
                                 "--version",
                                 "why --n 1K",
                                 "landscape --n 1000",
                                 "export",
                                 "prune --older-than 0 --dry-run",
                                 "run --device cpu --type f32 $D/numbers",
                                 "diff $FOLDTUNE_DB $FOLDTUNE_DB",
                                 "import --db $D/copy.db $FOLDTUNE_DB",
                                 "revalidate --device cpu --dry-run",
                                 "tune --device cpu --n 1000 --op sum,max --max-evals 3",
                                 "ladder --device cpu --n 64 --section E"};
  if (place.run({"report", "--help"}).exit_code == 0) verbs.emplace_back("report -o -");
  // What is bundled already needs no compiler.
  store(place.file("gpu.db"), {stored_sum(10, 5)});
  if (in_shell(place, "$P bundle --db $D/gpu.db -o $D/bundle.db 2> $D/err") == 0) {
    verbs.emplace_back("bundle --db $D/bundle.db -o -");
  }
  for (const std::string& verb : verbs) {
    CAPTURE(verb);
    CHECK(in_shell(place, "$P " + verb + " > /dev/full 2> $D/err") == kFile);
    CHECK_THAT(
        read_file(place.file("err")),
        ContainsSubstring("foldtune: error: writing to the standard output: No space left") &&
            !ContainsSubstring("exported"));
    CHECK(in_shell(place, "$P " + verb + " >&- 2> $D/err") == kFile);
    CHECK_THAT(read_file(place.file("err")),
               ContainsSubstring("writing to the standard output: Bad file descriptor"));
  }
}

TEST_CASE("Nothing is printed into a database") {
  const Workplace place;
  REQUIRE(in_shell(place, "cp $FOLDTUNE_DB $D/tuning.db; touch $D/tuning.db-wal") == 0);
  const std::string before = read_file(place.database());
  for (const std::string file : {"tuning.db", "tuning.db-wal"}) {
    const std::string bytes = read_file(place.file(file));
    for (const std::string verb :
         {"export", "export -o - --best", "show", "show --json", "why --n 1K", "doctor", "devices",
          "tune --device cpu --n 1000 --op sum,max --max-evals 3"}) {
      CAPTURE(verb, file);
      const std::string command = "FOLDTUNE_DB=$D/tuning.db $P " + verb + " >> $D/" + file;
      CHECK(in_shell(place, command + " 2> $D/err") == kFile);
      CHECK_THAT(read_file(place.file("err")),
                 ContainsSubstring("writing to the standard output: it is a database"));
      CHECK(read_file(place.file(file)) == bytes);
      CHECK(in_shell(place, command + " 2>&1") == kFile);
      CHECK(read_file(place.file(file)) == bytes);
    }
  }
  CHECK(in_shell(place, "$P export -o $D/out 2>> $D/tuning.db") == 0);
  CHECK(read_file(place.database()) == before);
  // Nor into another file that is read.
  place.write("op.json", R"({"name": "f"})");
  CHECK(in_shell(place, "$P export --db $D/op.json >> $D/op.json 2> $D/err") == kFile);
  CHECK_THAT(read_file(place.file("err")),
             ContainsSubstring("it is a file that the command reads"));
}

TEST_CASE("Nothing is printed into a file that is read, or into a database that is to be made") {
  const Workplace place;
  const std::string numbers = bytes_of<float>({1, 2, 3});
  place.write("x", numbers);
  place.write("x.npz", npz_file({{"x.npy", npy_file(npy_header("<f4", "(3,)"), numbers)}}));
  place.write("op.json", R"({"name": "f"})");
  place.write("new.db", "");
  for (const auto& [file, verb] : {std::pair{"x", "run --device cpu --type f32 $D/x"},
                                   {"x", "run --device cpu --type f32 - < $D/x"},
                                   {"x.npz", "run --device cpu $D/x.npz:x"},
                                   {"x", "run --device cpu --op histogram --edges $D/x $D/x.npz"},
                                   {"op.json", "run --device cpu --custom $D/op.json $D/x"},
                                   {"op.json", "why --custom $D/op.json --n 1K"},
                                   {"op.json", "import $D/op.json --db $D/other.db"},
                                   {"new.db", "tune --device cpu --n 1K --db $D/new.db"}}) {
    CAPTURE(file, verb);
    const std::string bytes = read_file(place.file(file));
    const std::string command = std::string("$P ") + verb + " >> $D/" + file;
    CHECK(in_shell(place, command + " 2> $D/err") == kFile);
    CHECK_THAT(read_file(place.file("err")), ContainsSubstring("a file that the command reads"));
    CHECK(in_shell(place, command + " 2>&1") == kFile);
    CHECK(read_file(place.file(file)) == bytes);
  }
}

TEST_CASE("An operator is read from a pipe, once") {
  const Workplace place;
  place.write("x", bytes_of<float>({1, 2, 3}));
  place.write("op.json", R"({"map": "x + 1"})");
  CHECK(in_shell(place,
                 "cat $D/op.json | $P run --device cpu --repeat 1 --custom - $D/x > $D/out") == 0);
  CHECK_THAT(read_file(place.file("out")), ContainsSubstring("result  9\n"));
}

TEST_CASE("A reader that has enough ends nothing with an error") {
  const Workplace place;
  // The reader is gone before anything is written.
  const std::string code = "(sleep 0.2; $P show --json; echo $? > $D/code) 2> $D/err | true; ";
  CHECK(in_shell(place, code) == 0);
  for (int i = 0; i < 500 && read_file(place.file("code")).empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  CHECK(read_file(place.file("code")) == "0\n");
  CHECK(read_file(place.file("err")).empty());
}

TEST_CASE("A link under a name that a temporary file might have is not followed") {
  const Workplace place;
  place.write("victim", "precious");
  for (const std::string name : {"all.json.$$.tmp", "all.json.tmp", ".all.json.$$", "all.json~"}) {
    CAPTURE(name);
    CHECK(in_shell(place, "ln -s $D/victim $D/" + name + "; exec $P export -o $D/all.json") == 0);
    CHECK(read_file(place.file("victim")) == "precious");
    CHECK_THAT(exported(place.file("all.json")), ContainsSubstring("foldtune-tuning"));
    CHECK_FALSE(fs::is_symlink(place.file("all.json")));
  }
}

TEST_CASE("A database that is removed while a tuning writes to it is saved, and an error") {
  Workplace place;
  RunningProgram program = start_long_tuning(place);
  wait_for_text(program, " timed");
  for (const char* const end : {"", "-wal", "-shm"}) fs::remove(place.database() + end);
  const Outcome outcome = program.wait();
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.exit_code == kDatabase);
  CHECK_THAT(outcome.out, !ContainsSubstring("database: "));
  const std::string begin = "all that it held is saved in ";
  REQUIRE_THAT(outcome.err, ContainsSubstring(begin));
  const std::size_t at = outcome.err.find(begin) + begin.size();
  const std::string saved = outcome.err.substr(at, outcome.err.find(": move") - at);
  CHECK_THAT(place.run({"show", "--all", "--db", saved}).out, ContainsSubstring("sum f32"));
}

TEST_CASE("A database that is overwritten while a tuning writes to it is an error") {
  Workplace place;
  RunningProgram program = start_long_tuning(place);
  wait_for_text(program, " timed");
  const std::string others = "no database, but what somebody else wrote\n";
  place.write("tuning.db", others);
  const Outcome outcome = program.wait();
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.exit_code == kDatabase);
  CHECK_THAT(outcome.out, !ContainsSubstring("database: "));
  CHECK_THAT(outcome.err, ContainsSubstring("was overwritten while it was in use"));
  CHECK(read_file(place.database()) == others);
}

TEST_CASE("A limit on the size of files is an error that says so, and leaves nothing") {
  const Workplace place;
  CHECK(in_shell(place, "ulimit -f 1; $P export -o $D/out 2> $D/err") == kFile);
  CHECK_THAT(read_file(place.file("err")), ContainsSubstring("File too large"));
  CHECK(in_shell(place, "ulimit -f 1; $P show --json --all > $D/shown 2> $D/err") == kFile);
  CHECK_THAT(read_file(place.file("err")), ContainsSubstring("File too large"));
  CHECK(in_shell(place,
                 "ulimit -f 16; TMPDIR=$D $P tune --device cpu --n 1K --max-evals 1 --db $D/t.db "
                 "2> $D/err") != 0);
  CHECK_THAT(read_file(place.file("err")), ContainsSubstring("foldtune: error: "));
  for (const auto& entry : fs::directory_iterator(place.path())) {
    const std::string name = entry.path().filename();
    CAPTURE(name);
    CHECK((name == "err" || name == "shown" || name.starts_with("t.db")));
  }
}

TEST_CASE("Ctrl-C, SIGTERM and SIGHUP end a tuning, which keeps and prints what was measured") {
  Tuning interrupted{SIGINT};  // at once, since each begins by compiling
  Tuning terminated{SIGTERM};
  Tuning hung_up{SIGHUP};
  for (Tuning* const each : {&interrupted, &terminated, &hung_up}) {
    Tuning& tuning = *each;
    wait_for_text(tuning.program, " timed");
    tuning.program.send_signal(tuning.signal);
    const Outcome outcome = tuning.program.wait();
    CAPTURE(outcome.out, outcome.err);
    CHECK(outcome.exit_code == 128 + tuning.signal);
    CHECK_THAT(outcome.err, ContainsSubstring("everything measured is kept"));
    CHECK_THAT(outcome.out, ContainsSubstring("database: " + tuning.place.database()));
    CHECK_THAT(tuning.place.run({"show", "--all"}).out, ContainsSubstring("sum f32"));
    for (const auto& entry : fs::directory_iterator(tuning.place.path())) {
      CHECK_THAT(entry.path().string(), !ContainsSubstring("foldtune-work-"));
    }
  }
}

TEST_CASE("A second signal ends a tuning at once, and a later run removes what killed ones left") {
  Workplace place;
  const fs::path folder = place.path() / "tmp";
  fs::create_directory(folder);
  place.set("TMPDIR", folder);
  {
    RunningProgram program = place.start(long_tuning());
    wait_for_text(program, " timed");
    program.send_signal(SIGTERM);
    program.send_signal(SIGHUP);
    const int code = program.wait().exit_code;
    CHECK((code == 128 + SIGTERM || code == 128 + SIGHUP));
  }
  {
    RunningProgram program = place.start(long_tuning());
    wait_for_text(program, " timed");
    program.send_signal(SIGKILL);
    CHECK(program.wait().exit_code == 128 + SIGKILL);
  }
  CHECK_FALSE(fs::is_empty(folder));
  // Workers may outlive their tuner by a moment.
  for (int i = 0; i < 100 && !fs::is_empty(folder); ++i) {
    CHECK(place.run({"devices"}).exit_code == 0);
  }
  CHECK(fs::is_empty(folder));
}

TEST_CASE("Other verbs that a signal ends take their temporary files with them") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Workplace place;
    const fs::path folder = place.path() / "tmp";
    fs::create_directory(folder);
    place.set("TMPDIR", folder);
    RunningProgram program = place.start({"ladder", "--device", "cpu", "--section", "D"});
    wait_for_text(program, "running");
    for (int i = 0; i < 500 && fs::is_empty(folder); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    program.send_signal(signal);
    CHECK(program.wait().exit_code == 128 + signal);
    CHECK(fs::is_empty(folder));
  }
}

TEST_CASE("A database that was just copied is read where no file may grow") {
  const Workplace place;
  store(place.file("t.db"), {stored_sum(20, 5)});
  CHECK(
      in_shell(place,
               "cp $D/t.db $D/copy.db && (ulimit -f 0; exec $P show --db $D/copy.db 2>&1) | cat > "
               "$D/shown") == 0);
  CHECK_THAT(read_file(place.file("shown")), ContainsSubstring("sum f32"));
}

TEST_CASE("nohup keeps a tuning when its terminal is closed") {
  const Workplace place;
  CHECK(in_shell(place,
                 "trap '' HUP; $P tune --device cpu --n 1K --max-evals 1 --db $D/t.db > $D/out 2> "
                 "$D/err & p=$!; sleep 0.3; kill -HUP $p; wait $p") == 0);
}

}  // namespace
}  // namespace foldtune::test
