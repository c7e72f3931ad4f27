// Everything that can be wrong: the exit code, a message on stderr, and nothing overwritten.
#include <SQLiteCpp/Database.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/catch.h"
#include "tests/tuner/npy_file.h"
#include "tests/tuner/program.h"
#include "tests/tuner/tuned_on_cpu.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Arguments = std::vector<std::string>;

void check_error(const Outcome& outcome, int exit_code, const std::string& message) {
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.exit_code == exit_code);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, ContainsSubstring("foldtune: error: "));
  CHECK_THAT(outcome.err, ContainsSubstring(message));
}

void check_error(const Workplace& place, const Arguments& arguments, int exit_code,
                 const std::string& message) {
  std::string line;
  for (const std::string& argument : arguments) line += argument + ' ';
  CAPTURE(line);
  check_error(place.run(arguments), exit_code, message);
}

/// Arguments of a quick tuning on the CPU device, and more.
Arguments tune(const Arguments& more) {
  Arguments arguments{"tune", "--device", "cpu", "--n", "1K", "--budget", "1s"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST_CASE("An error repeats the beginning of a long argument, and no more") {
  const Workplace place;
  const std::string huge(100'000, 'x');
  for (const Arguments& arguments :
       {Arguments{huge}, Arguments{"tune", "--" + huge}, Arguments{"tune", "--op", huge},
        Arguments{"tune", "--n", huge}, Arguments{"tune", "--seed", huge},
        Arguments{"tune", "--budget", huge}, Arguments{"run", huge}, Arguments{"import", huge},
        Arguments{"show", "--db", huge}, Arguments{"tune", "--n", std::string(100'000, '9')}}) {
    const Outcome outcome = place.run(arguments);
    CAPTURE(arguments.front().substr(0, 20), outcome.err.substr(0, 200));
    CHECK(outcome.exit_code != 0);
    CHECK(outcome.err.size() < 3000);
  }
}

TEST_CASE("A wrong command line is an error of usage, found before anything is done") {
  const Workplace place;
  check_error(place, {}, kUsage, "no verb");
  check_error(place, {"fold"}, kUsage, "fold");
  check_error(place, {"tune", "--bogus"}, kUsage, "foldtune tune --help");
  check_error(place, {"tune", "--op", "summ"}, kUsage,
              "--op: there is no 'summ'; there is sum, product");
  check_error(place, {"tune", "--op", "sum,"}, kUsage, "empty item");
  check_error(place, {"tune", "--type", "f31"}, kUsage,
              "--type: there is no 'f31'; there is i8, u8");
  check_error(place, {"tune", "--accumulator", "f64", "--op", "min"}, kUsage, "min of f32");
  check_error(place, {"tune", "--n", "many"}, kUsage, "'many' is not a count");
  check_error(place, {"tune", "--n", "2^50"}, kUsage, "more than 2^40");
  check_error(place, {"tune", "--n", "0"}, kUsage, "at least 1");
  check_error(place, {"tune", "--budget", "soon"}, kUsage, "'soon' is not a time");
  check_error(place, {"tune", "--budget", "-1s"}, kUsage, "no sensible time");
  check_error(place, {"tune", "--seed", "-1"}, kUsage, "--seed");
  check_error(place, {"tune", "--threads", "-1"}, kUsage, "--threads");
  check_error(place, {"tune", "--layout", "odd"}, kUsage,
              "--layout: there is no 'odd'; there is vector, element");
  check_error(place, {"tune", "--determinism", "full"}, kUsage, "no 'full'; there is any, run");
  check_error(place, {"tune", "--accumulator", "f32", "--type", "f64"}, kUsage,
              "sum of f64 cannot accumulate in f32; it can in f64");
  check_error(place, {"tune", "--device", "gpu"}, kUsage, "'gpu'");
  check_error(place, {"tune", "--device", "cuda:-1"}, kUsage, "'cuda:-1'");
  check_error(place, {"show", "--op", "summ"}, kUsage, "--op: there is no 'summ'");
  check_error(place, {"run"}, kUsage, "FILE");
  check_error(place, {"run", "--"}, kUsage, "FILE is required");
  check_error(place, {"run", "--repeat", "0", "x"}, kUsage, "--repeat");
  CHECK_FALSE(std::filesystem::exists(place.database()));
}

TEST_CASE("An error of usage names the option, what it takes, and what was given") {
  const Workplace place;
  const std::string numbers = place.write("numbers", bytes_of(std::vector<float>{1, 2}));
  check_error(place, {"tune", "--seed", "abc"}, kUsage,
              "--seed takes a whole number from 0 to 18446744073709551615, not 'abc'");
  check_error(place, {"tune", "--seed", "1.5"}, kUsage, "--seed takes a whole number");
  check_error(place, {"tune", "--threads", "many"}, kUsage,
              "--threads takes a whole number from 0 to 1024, not 'many'");
  check_error(place, {"tune", "--max-evals", "0"}, kUsage,
              "--max-evals takes a whole number from 1 to 1000000, not '0'");
  check_error(place, {"run", "--repeat", "2x", numbers}, kUsage, "--repeat takes a whole number");
  check_error(place, {"prune", "--older-than", "soon"}, kUsage,
              "--older-than takes a number of days from 0 to 36500, not 'soon'");
  for (const std::string bins : {"0", "1", "many", "2^30"}) {
    check_error(place, {"tune", "--op", "histogram", "--bins", bins}, kUsage,
                "--bins: there is no '" + bins +
                    "'; it takes a whole number from 2 to 1048576, such as 256 or 2^10");
  }
  check_error(place, {"tune", "--op", "custom", "--name", "1abc"}, kUsage,
              "use letters, digits and _, no digit first");
}

TEST_CASE("An option without its value does not take the next option for it") {
  const Workplace place;
  check_error(place, {"prune", "--device", "--dry-run"}, kUsage,
              "--device has no value: --dry-run is an option, too (if it is meant, write "
              "--device=--dry-run); see foldtune prune --help");
  check_error(place, {"show", "--all", "--op", "--json"}, kUsage, "--op has no value");
  check_error(place, {"show", "--db"}, kUsage, "--db has no value");
  check_error(place, {"tune", "--n=", "--json"}, kUsage, "--n is empty; give a value");
  check_error(place, {"tune", "--budget=", "--json"}, kUsage, "--budget is empty; give");
  check_error(place, {"export", "--output=", "--best"}, kUsage, "--output is empty; name a file");
  check_error(place, {"import", "x.json", "--db=", "--dry-run"}, kUsage, "--db is empty; name");
  check_error(place, {"prune", "--db", "", "--dry-run"}, kUsage, "--db is empty; name a file");
  check_error(place, {"tune", "--n", "4", "--n", "5"}, kUsage, "--n is given more than once; see");
  CHECK_FALSE(std::filesystem::exists(place.database()));
}

TEST_CASE("An empty value, or an empty name of a file, is an error of usage in every option") {
  const Workplace place;
  copy_tuned(place);
  const std::string data = place.write("data", bytes_of(std::vector<float>{1.0F}));
  for (const Arguments& arguments : {Arguments{"show", "--sort="},
                                     {"show", "--device="},
                                     {"show", "--device", ""},
                                     {"why", "--n", "1K", "--device="},
                                     {"landscape", "--n", "1K", "--layout="},
                                     {"landscape", "--n", "1K", "--device="},
                                     {"report", "--device="},
                                     {"export", "--device="},
                                     {"diff", place.database(), place.database(), "--device="},
                                     {"prune", "--device="},
                                     {"tune", "--layout="},
                                     {"run", "--type", "f32", "--family=", data},
                                     {"run", data, "--type="}}) {
    check_error(place, arguments, kUsage, " is empty; give a value, or leave it out");
  }
  for (const Arguments& arguments :
       {Arguments{"run", ""}, {"run", "--", ""}, {"import", ""}, {"diff", place.database(), ""}}) {
    check_error(place, arguments, kUsage, "'' is no file; name a file");
  }
}

TEST_CASE("The first word is the verb, and the name of another one is a word like others") {
  const Workplace place;
  copy_tuned(place);
  check_error(place, {"prune", "show", "--db", place.database()}, kUsage,
              "'show' is one argument too many; see foldtune prune --help");
  check_error(place, {"show", "tune", "--op", "sum"}, kUsage, "'tune' is one argument too many");
  check_error(place, {"show", "--", "tune"}, kUsage, "'tune' is one argument too many");
  check_error(place, {"show", "show"}, kUsage, "'show' is one argument too many");
  check_error(place, {"--", "prune", "--dry-run"}, kUsage, "the verb comes first: foldtune prune");
  check_error(place, {"run", "--type", "f32", "show"}, kFile, "reading show: No such file");
}

TEST_CASE("Files are taken on both sides of --") {
  const Workplace place;
  const std::string x = place.write("x", bytes_of(std::vector<float>{1, 2}));
  const std::string y = place.write("y", bytes_of(std::vector<float>{3, 4}));
  const Arguments options{"--device", "cpu", "--op", "dot", "--type", "f32", "--repeat", "1"};
  for (const Arguments& files : {Arguments{x, "--", y}, {"--", x, y}, {x, y}, {x, y, "--"}}) {
    Arguments arguments{"run"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), files.begin(), files.end());
    const Outcome outcome = place.run(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 0);
    CHECK_THAT(outcome.out, ContainsSubstring("result  11\n"));
  }
  check_error(place, {"run", "--bogus", x, "--", y}, kUsage, "there is no option --bogus");
  check_error(place, {"run", x, "--", y, "--type"}, kUsage, "sum takes 1 file, not 3");
}

TEST_CASE("A name of a CUDA device that cannot be is an error of usage, whatever there is") {
  const Workplace place;
  copy_tuned(place);
  for (const std::string name : {"cuda:", "cuda:x", "cuda:-1", "cuda:0x"}) {
    check_error(place, {"show", "--device", name}, kUsage, "--device: there is no '" + name + "'");
    check_error(place, {"prune", "--device", name, "--dry-run"}, kUsage, "use cuda:N");
  }
}

TEST_CASE("A short option is told by its long name, and takes its value after = as that does") {
  const Workplace place;
  check_error(place, {"export", "-o", "--json"}, kUsage,
              "-o has no value: --json is an option, too (if it is meant, write --output=--json)");
  check_error(place, {"export", "-o", "-h"}, kUsage, "write --output=-h)");
  check_error(place, {"show", "--db", "-h"}, kUsage, "--db has no value: -h is an option");
  check_error(place, {"export", "-o=", "--best"}, kUsage, "-o is empty; name a file");
  check_error(place, {"export", "-o=" + place.file("none/out")}, kFile,
              "writing the export " + place.file("none/out"));
  check_error(place, {"export", "-o=--json"}, kUsage, "write --output=--json)");
}

TEST_CASE("A flag with a value is told as that, whatever the value") {
  const Workplace place;
  for (const std::string value : {"", "x", "true", "--all"}) {
    check_error(place, {"show", "--json=" + value}, kUsage,
                "--json takes no value; see foldtune show --help");
    check_error(place, {"show", "--help=" + value}, kUsage, "--help takes no value");
    check_error(place, {"show", "-h=" + value}, kUsage, "-h takes no value");
    check_error(place, {"--version=" + value}, kUsage,
                "--version takes no value; see foldtune --help");
  }
}

TEST_CASE("An option where none can be is told as that") {
  const Workplace place;
  check_error(place, {"show", "--", "--db"}, kUsage, "--db is where no option can be");
  check_error(place, {"show", "--", "--db="}, kUsage, "--db is where no option can be");
  check_error(place, {"--db", "x", "show"}, kUsage, "--db is where no option can be");
}

TEST_CASE("An unknown verb or option is answered with the one that was meant") {
  const Workplace place;
  check_error(place, {"tun"}, kUsage, "there is no verb 'tun'; did you mean tune?");
  check_error(place, {"shwo"}, kUsage, "did you mean show?");
  check_error(place, {"land"}, kUsage, "did you mean landscape?");
  check_error(place, {"xyzzy"}, kUsage, "there is no verb 'xyzzy'; see foldtune --help");
  check_error(place, {"tune", "--budgt", "2s"}, kUsage,
              "there is no option --budgt; did you mean --budget?; see foldtune tune --help");
  check_error(place, {"tune", "--op=sum", "--tpye=f32"}, kUsage, "--tpye; did you mean --type?");
  check_error(place, {"tune", "--xyzzy"}, kUsage, "there is no option --xyzzy; see foldtune tune");
  check_error(place, {"show", "everything"}, kUsage, "'everything' is one argument too many");
  check_error(place, {"run", "--tpye"}, kUsage, "there is no option --tpye; did you mean --type?");
}

TEST_CASE("An argument of a megabyte is not repeated as a whole") {
  const Workplace place;
  const std::string part(100'000, 'x');  // the most that the system takes is 128 KiB
  for (const Arguments& arguments : {Arguments{part},
                                     {"tune", "--" + part},
                                     {"tune", "--op", part},
                                     {"tune", "--n", part},
                                     {"tune", "--seed", part},
                                     {"show", "--db", part},
                                     {"run", "--type", "f32", part},
                                     {"import", part},
                                     {"show", "--sort", part},
                                     {"tune", "--op", "custom", "--name", part},
                                     {"run", "--custom", part, part},
                                     {"show", part}}) {
    const Outcome outcome = place.run(arguments);
    CAPTURE(arguments.front().substr(0, 20), outcome.exit_code);
    CHECK((outcome.exit_code >= kUsage && outcome.exit_code <= kDatabase));
    CHECK(outcome.err.starts_with("foldtune: error: "));
    CHECK(outcome.err.size() < 3000);
  }
}

TEST_CASE("A missing file is told by its name, whatever it was wanted for") {
  const Workplace place;
  const std::string none = place.file("none.db");
  for (const Arguments& arguments : {Arguments{"diff", none, none},
                                     {"export", "--db", none},
                                     {"prune", "--db", none},
                                     {"why", "--n", "1K", "--db", none}}) {
    check_error(place, arguments, kDatabase, none + ": there is no such file; check its name");
  }
  CHECK_THAT(place.run({"doctor", "--db", none}).out,
             ContainsSubstring(none + ": there is no such file; check its name"));
  check_error(place, {"import", none}, kFile, none + ": No such file");
}

TEST_CASE("A place for temporary files that is none is told by every verb that has some") {
  Workplace place;
  copy_tuned(place);
  const std::string data = place.write("data", bytes_of(std::vector<float>{1.0F}));
  for (const std::string& folder : {data, place.file("missing")}) {
    place.set("TMPDIR", folder);
    for (const Arguments& arguments : {Arguments{"bundle", "-o", place.file("bundle.db")},
                                       tune({}),
                                       {"revalidate", "--device", "cpu"},
                                       {"run", "--device", "cpu", "--type", "f32", data}}) {
      check_error(place, arguments, kUnavailable, "making a temporary folder in " + folder);
    }
    CHECK_THAT(place.run({"doctor"}).out, ContainsSubstring("making a temporary folder in "));
    CHECK(place.run({"show"}).exit_code == 0);
  }
  CHECK_FALSE(std::filesystem::exists(place.file("bundle.db")));
}

TEST_CASE("In a folder that is gone names of files there are errors, and others work") {
  const Workplace place;
  copy_tuned(place);
  const auto run_there = [&](const std::string& arguments) {
    const std::string folder = place.file("gone");
    std::filesystem::create_directory(folder);
    const std::string command = "cd '" + folder + "' && rmdir '" + folder + "' && FOLDTUNE_DB='" +
                                place.database() + "' '" FOLDTUNE_PROGRAM "' " + arguments +
                                " > '" + place.file("out") + "' 2> '" + place.file("err") + "'";
    const int status = std::system(command.c_str());
    return Outcome{.exit_code = WEXITSTATUS(status),
                   .out = read_file(place.file("out")),
                   .err = read_file(place.file("err"))};
  };
  for (const char* name :
       {"show --db x.db", "diff a.db b.db", "prune --db ./x.db --device cpu --dry-run"}) {
    check_error(run_there(name), kDatabase, "cannot open the tuning database");
  }
  check_error(run_there("tune --device cpu --n 1K --max-evals 1 --db x.db"), kDatabase, "x.db");
  check_error(run_there("show --family ./own.json"), kUsage, "reading the family ./own.json");
  CHECK(run_there("doctor --db x.db").exit_code == kDatabase);
  CHECK(run_there("show --family reduce").exit_code == 0);
  CHECK(run_there("run --device cpu --type f32 '" +
                  place.write("data", bytes_of(std::vector<float>{1.0F})) + "'")
            .exit_code == 0);
}

TEST_CASE("Nothing is said of tuning for an array without elements") {
  const Workplace place;
  const std::string file = place.write("empty", "");
  const Outcome outcome = place.run({"run", "--device", "cpu", "--type", "f32", file});
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("result  0\n") && !ContainsSubstring("tune it"));
}

TEST_CASE("A device that is not there is unavailable, and no database is made") {
  Workplace place;
  place.set("CUDA_VISIBLE_DEVICES", "-1");
  check_error(place, {"tune", "--device", "cuda:0", "--n", "1K"}, kUnavailable, "");
  const std::string file = place.write("data", bytes_of(std::vector<float>{1.0F}));
  check_error(place, {"run", "--device", "cuda:0", "--type", "f32", file}, kUnavailable, "");
  CHECK_FALSE(std::filesystem::exists(place.database()));
}

TEST_CASE("Without a host compiler the CPU device is unavailable, and devices says so") {
  Workplace place;
  place.set("PATH", place.path());
  place.set("CXX", "");
  check_error(place, tune({}), kUnavailable, "compiler");
  CHECK_FALSE(std::filesystem::exists(place.database()));
  const Outcome devices = place.run({"devices"});
  CHECK(devices.exit_code == 0);
  CHECK_THAT(devices.out, ContainsSubstring("No compiler for cpu"));
}

TEST_CASE("A file that cannot be read is an error of the file") {
  const Workplace place;
  check_error(place, {"run", "--type", "f32", place.file("none")}, kFile, "No such file");
  check_error(place, {"run", "--type", "f32", place.path()}, kFile, "folder");
  check_error(place, {"run", "--type", "f32", "/dev/null"}, kFile,
              "neither a regular file nor a pipe");
  const std::string short_npy =
      place.write("short.npy", npy_file(npy_header("<f4", "(3,)"), std::string(8, '\0')));
  check_error(place, {"run", short_npy}, kFile, "cut short");
}

TEST_CASE("A file of another type is an error of usage") {
  const Workplace place;
  const std::string npy =
      place.write("data.npy", npy_file(npy_header("<f8", "(1,)"), std::string(8, '\0')));
  check_error(place, {"run", "--type", "f32", npy}, kUsage, "f64 (float64), not f32");
  const std::string half =
      place.write("half.npy", npy_file(npy_header("<f2", "(4,)"), std::string(8, '\0')));
  check_error(place, {"run", "--type", "bf16", half}, kUsage, "f16 (float16), not bf16");
  const std::string truth =
      place.write("truth.npy", npy_file(npy_header("|b1", "(8,)"), std::string(8, '\0')));
  check_error(place, {"run", "--type", "i8", truth}, kUsage, "bool");
  check_error(place, {"run", "--op", "dot", npy, half}, kUsage,
              "dot takes elements of one type, and " + npy + " holds f64");
  check_error(place, {"run", "--op", "custom", "--inputs", "i32", npy}, kUsage,
              "f64 (float64), not i32 (int32); name that type in the operator's inputs");
  const std::string raw = place.write("raw", std::string(7, '\0'));
  check_error(place, {"run", "--type", "f32", raw}, kUsage, "not a multiple");
  check_error(place, {"run", raw}, kUsage, "--type");
  check_error(place, {"run", "--type", "f31", raw}, kUsage, "--type: there is no 'f31'");
}

TEST_CASE("To leave out --type is advised where it was given") {
  const Workplace place;
  const auto err_of = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    const Outcome outcome = place.run(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == kUsage);
    return outcome.err;
  };
  const auto advice = ContainsSubstring("leave out --type");
  const std::string wide =
      place.write("wide.npy", npy_file(npy_header("<f8", "(1,)"), std::string(8, '\0')));
  const std::string complex =
      place.write("complex.npy", npy_file(npy_header("<c8", "(1,)"), std::string(8, '\0')));
  const std::string half =
      place.write("half.npy", npy_file(npy_header("<f2", "(1,)"), std::string(2, '\0')));
  CHECK_THAT(err_of({"--type", "f32", wide}), advice);
  CHECK_THAT(err_of({"--op", "dot", "--type", "f32", wide, wide}), advice);
  CHECK_THAT(err_of({"--op", "dot", wide, half}), !advice);
  CHECK_THAT(err_of({complex}), !advice);
  CHECK_THAT(err_of({"--op", "custom", "--inputs", "f32", wide}), !advice);
}

TEST_CASE("What holds no elements as they are is never reduced by accident") {
  const Workplace place;
  const std::string table = place.write("table", "1,2\n3,4\n");
  check_error(place, {"run", "--type", "f32", table}, kUsage, "table is text: ");
  const std::string packed = place.write("packed.npy.gz", std::string("\x1f\x8b\x08\0\0\0\0\0", 8));
  check_error(place, {"run", "--type", "u8", packed}, kUsage, "zcat FILE | foldtune run -");
  check_error(place, {"run", "--op", "dot", "--type", "f32", "-", "-"}, kUsage, "read once");
}

TEST_CASE("A run that cannot be is an error of usage, found before a device is opened") {
  Workplace place;
  place.set("CUDA_VISIBLE_DEVICES", "-1");
  const std::string two = place.write("two", bytes_of(std::vector<float>{1, 2}));
  const std::string three = place.write("three", bytes_of(std::vector<float>{1, 2, 3}));
  const auto check = [&](Arguments arguments, const std::string& message) {
    arguments.insert(arguments.begin(), {"run", "--device", "cuda:0", "--type", "f32"});
    check_error(place, arguments, kUsage, message);
  };
  check({two, two}, "sum takes 1 file, not 2");
  check({"--op", "dot", two}, "dot takes 2 files, not 1");
  check({"--op", "dot", two, three}, "as many");
  check({"--op", "bit_and", two}, "bit_and takes integers, not f32");
  check({"--op", "sum", "--nan", "ignore", two}, "no NaN policy");
  check({"--op", "min", "--nan", "drop", two},
        "--nan: there is no 'drop'; there is propagate, ignore");
  check({"--op", "sum", "--ddof", "1", two}, "ddof is for variance");
  check({"--op", "variance", "--ddof", "2", two},
        "--ddof: there is no '2'; it takes a whole number from 0 to 1");
  check({"--op", "sum", "--result", "i32", two}, "ask for a floating-point result");
  check({"--op", "sum", "--accumulator", "f63", two}, "--accumulator: there is no 'f63'");
  check({"--determinism", "full", two}, "--determinism: there is no 'full'");
}

TEST_CASE("A file that is no database is left as it is") {
  const Workplace place;
  const std::string text = "These are my notes, not a database.\n";
  const std::string file = place.write("notes.txt", text);
  check_error(place, tune({"--db", file}), kDatabase, file);
  check_error(place, {"show", "--db", file}, kDatabase, file);
  const std::string data = place.write("data", bytes_of(std::vector<float>{1.0F}));
  const Outcome outcome =
      place.run({"run", "--device", "cpu", "--type", "f32", "--db", file, data});
  CHECK(outcome.exit_code == 0);  // It computes without.
  CHECK_THAT(outcome.out, ContainsSubstring("result  1") && ContainsSubstring("not a database"));
  CHECK_THAT(outcome.err,
             ContainsSubstring("foldtune: note: running untuned") && ContainsSubstring(file));
  CHECK(read_file(file) == text);
}

TEST_CASE("The database of another program, and one of another version, are left as they are") {
  const Workplace place;
  const bool is_ours = GENERATE(false, true);
  const std::string file = place.file("other.db");
  {
    SQLite::Database database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec("CREATE TABLE precious (value TEXT)");
    if (is_ours) database.exec("PRAGMA application_id = 0x464C4454; PRAGMA user_version = 999");
  }
  const std::string before = read_file(file);
  const std::string message = is_ours ? "999" : "another program";
  check_error(place, tune({"--db", file}), kDatabase, message);
  check_error(place, {"show", "--db", file}, kDatabase, message);
  CHECK(read_file(file) == before);
}

TEST_CASE("To show a database that does not exist is an error that says how to make one") {
  const Workplace place;
  check_error(place, {"show"}, kDatabase, "tune first");
  check_error(place, {"show", "--db", ""}, kUsage, "--db is empty");
  CHECK_FALSE(std::filesystem::exists(place.database()));
}

TEST_CASE("A folder where nothing may be written is said before anything is measured") {
  namespace fs = std::filesystem;
  const Workplace place;
  const fs::path folder = place.path() / "fixed";
  fs::create_directory(folder);
  const std::string secret = place.write("secret", bytes_of(std::vector<float>{1.0F}));
  fs::permissions(secret, fs::perms::none);
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read |
                              fs::perms::others_exec);
  fs::permissions(place.path(), fs::perms::owner_all | fs::perms::others_exec);
  const std::string file = folder / "tuning.db";
  check_error(place.run_as_nobody(tune({"--db", file})), kDatabase, "Permission denied");
  CHECK(fs::is_empty(folder));
  check_error(place.run_as_nobody({"run", "--type", "f32", secret}), kFile, "Permission denied");
}

TEST_CASE("Output that cannot be written is an error") {
  if (!std::filesystem::exists("/dev/full")) return;
  const Workplace place;
  const std::string command =
      "'" FOLDTUNE_PROGRAM "' devices > /dev/full 2> '" + place.file("err") + "'";
  const int status = std::system(command.c_str());
  CHECK(WEXITSTATUS(status) == kFile);
  CHECK_THAT(read_file(place.file("err")),
             ContainsSubstring("writing to the standard output: No space left on device"));
}

}  // namespace
}  // namespace foldtune::test
