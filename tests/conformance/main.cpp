// The conformance suite: every kernel against its reference, on the device that is asked for.
//
//     conformance                                    a covering sample of the space, on the CPU
//     conformance --device cuda:0 --all              the whole space on a GPU
//     conformance --device cuda:0 "[values]"         special values alone
//     conformance --device cuda:0 --only "sum f32"
//
// Exit codes: 0 all is right; 1 something is wrong, or nothing was tested; 2 a wrong argument;
// 3 the device or its compiler is not there.
#define CATCH_CONFIG_RUNNER
#include <cstdio>

#include "foldtune/error.h"
#include "tests/catch.h"
#include "tests/conformance/environment.h"

namespace {

constexpr int kFailed = 1;
constexpr int kWrongArgument = 2;
constexpr int kUnavailable = 3;

bool only_lists(const Catch::ConfigData& config) {
  return config.showHelp || config.listTests || config.listTags || config.listReporters;
}

int run(Catch::Session& session, const foldtune::test::Options& options) {
  foldtune::test::Environment environment(options);
  const int failures = session.run();
  if (only_lists(session.configData())) return failures;
  std::fputs(environment.report().c_str(), stdout);
  if (environment.calls() == 0) {
    std::fputs("nothing was tested\n", stderr);
    return kFailed;
  }
  return failures == 0 ? 0 : kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  foldtune::test::Options options;
  Catch::Session session;
  using Catch::Clara::Opt;
  session.cli(
      session.cli() | Opt(options.device, "name")["--device"]("cuda:N or cpu (the default)") |
      Opt(options.all)["--all"]("the whole space instead of a covering sample") |
      Opt(options.only, "text")["--only"]("problems like \"sum f32 -> f64\" that hold this") |
      Opt(options.quick)["--quick"]("a smaller sample, for slow builds") |
      Opt(options.sparse)["--sparse"]("few counts, for tools that watch each access"));
  if (session.applyCommandLine(argc, argv) != 0) return kWrongArgument;
  try {
    return run(session, options);
  } catch (const foldtune::InvalidArgument& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kWrongArgument;
  } catch (const foldtune::Unavailable& error) {
    std::fprintf(stderr, "The device %s cannot be tested: %s\n", options.device.c_str(),
                 error.what());
    return kUnavailable;
  }
}
