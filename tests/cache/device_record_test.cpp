#include <cstdlib>
#include <optional>

#include "tests/cache/records.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

/// Sets a variable of the environment, or unsets it, and puts the old value back.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~Environment() { set(old_ ? old_->c_str() : nullptr); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  void set(const char* value) {
    if (value == nullptr) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, value, 1);
    }
  }

  const char* name_;
  std::optional<std::string> old_;
};

TEST_CASE("a device's fingerprint is the same text on every machine and in every version") {
  // Changing it makes every database forget its devices.
  CHECK(device().fingerprint() == "0c0499c2cb073f0f0cf3ff2ff17b5bc0");
}

TEST_CASE("a device's fingerprint changes with its model, and with nothing else") {
  const std::string plain = device().fingerprint();
  const auto changed = [&](auto change) {
    DeviceRecord other = device();
    change(other);
    return other.fingerprint() != plain;
  };
  CHECK(changed([](DeviceRecord& d) { d.kind = "fake"; }));
  CHECK(changed([](DeviceRecord& d) { d.name += " "; }));
  CHECK(changed([](DeviceRecord& d) { d.architecture = "sm_100"; }));
  CHECK(changed([](DeviceRecord& d) { ++d.multiprocessor_count; }));
  CHECK(changed([](DeviceRecord& d) { d.memory_bytes /= 2; }));
  // What two cards of a model may differ by.
  CHECK_FALSE(changed([](DeviceRecord& d) { d.memory_bytes -= 64 << 20; }));
  CHECK_FALSE(changed([](DeviceRecord& d) { ++d.memory_clock_khz; }));
  CHECK_FALSE(changed([](DeviceRecord& d) { d.memory_bus_bits = 6016; }));
  CHECK_FALSE(changed([](DeviceRecord& d) { ++d.l2_bytes; }));
  CHECK_FALSE(changed([](DeviceRecord& d) { d.driver = "580.95.06"; }));
}

TEST_CASE("a fingerprint tells apart text that moves from one field to the next") {
  DeviceRecord left = device();
  DeviceRecord right = device();
  left.kind = "a";
  left.name = "bc;name=1:x";
  right.kind = "a;name=11:bc";
  right.name = "x";
  CHECK(left.fingerprint() != right.fingerprint());
}

TEST_CASE("results are graded by what they were measured with") {
  DeviceRecord present = device();
  const auto grade = [&](const char* compiler, bool has_these_kernels) {
    return validity_of(StoredResult{.measurement = {}, .run = run_on(device())}, present, compiler,
                       has_these_kernels);
  };
  CHECK(grade("nvrtc 13.0", true) == Validity::valid);
  CHECK(grade("nvrtc 13.1", true) == Validity::stale);
  CHECK(grade("nvrtc 13.1", false) == Validity::seed);
  present.driver = "1";
  CHECK(grade("nvrtc 13.0", true) == Validity::stale);
  CHECK(grade("nvrtc 13.0", false) == Validity::seed);
  present.multiprocessor_count += 1;
  CHECK(grade("nvrtc 13.0", true) == Validity::none);
}

TEST_CASE("an outcome is read back from its name, and an unknown name is an error") {
  for (const Outcome outcome :
       {Outcome::ok, Outcome::compile_error, Outcome::load_error, Outcome::launch_error,
        Outcome::wrong_result, Outcome::timing_error}) {
    CHECK(parse_outcome(to_string(outcome)) == outcome);
  }
  CHECK(contains(error_of([] { parse_outcome("fine"); }), "\"fine\""));
}

TEST_CASE("the default database follows FOLDTUNE_DB, then XDG_CACHE_HOME, then HOME") {
  const Environment home("HOME", "/u/ada");
  const Environment cache("XDG_CACHE_HOME", "/var/cache/ada");
  const Environment database("FOLDTUNE_DB", "/data/t.db");
  CHECK(default_database_path() == "/data/t.db");
  const Environment no_database("FOLDTUNE_DB", "");
  CHECK(default_database_path() == "/var/cache/ada/foldtune/tuning.db");
  const Environment relative_cache("XDG_CACHE_HOME", "cache");
  CHECK(default_database_path() == "/u/ada/.cache/foldtune/tuning.db");
  const Environment no_cache("XDG_CACHE_HOME", nullptr);
  CHECK(default_database_path() == "/u/ada/.cache/foldtune/tuning.db");
  const Environment no_home("HOME", nullptr);
  CHECK(contains(error_of([] { default_database_path(); }), "set FOLDTUNE_DB"));
}

}  // namespace
}  // namespace foldtune::test
