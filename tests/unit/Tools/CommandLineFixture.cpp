// A command that misbehaves on request, to test from the outside what CommandLine promises to callers.

#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/Support/File.h"

#include <csignal>
#include <iostream>
#include <new>
#include <stdexcept>

using namespace tilerig;

// Begins to write a file and then raises a signal.
static Result<ExitCode> endBySignal(const std::string &output, int signal) {
  TILERIG_TRY(OutputFile file, OutputFile::create(output));
  TILERIG_CHECK_OK(file.write("half a file"));
  std::raise(signal);
  return ExitCode::done;
}

static Result<ExitCode> behave(const std::string &how, const std::string &output, bool json) {
  if (how == "done")
    std::cout << (json ? R"({"answer": 42})" : "answer 42") << '\n';
  if (how == "mismatch")
    return ExitCode::mismatch;
  if (how == "usage")
    return usageError("--tiles", "65 is too many", "give 1 to 64");
  if (how == "invalidInput")
    return invalidInput("a.trb", "its header is cut off", "write it anew");
  if (how == "unsupported")
    return unsupported("a \"quoted\" name\xff", "it has\na line break");
  if (how == "internal")
    return internalError("planner", "a buffer has no address");
  if (how == "memory")
    throw std::bad_alloc();
  if (how == "throw")
    throw std::runtime_error("an invariant broke");
  if (how == "number")
    throw 42;
  if (how == "interrupt")
    return endBySignal(output, SIGINT);
  if (how == "terminate")
    return endBySignal(output, SIGTERM);
  for (int line = 0; how == "flood" && line < 1000000; ++line)
    std::cout << "one line of many\n";
  return ExitCode::done;
}

int main(int argc, char **argv) {
  std::string how, input, output, stats;
  CommandLine line({"Tests", "fixture", "behave as told"}, "tilerig fixture done\ntilerig fixture throw");
  line.options().addOption("HOW", how, "behaviour to test").required();
  line.options().addOption("--input", input, "file to read");
  line.options().addOption("-o,--output", output, "file to write");
  line.options().addOption("--stats", stats, "second file to write");
  return line.run(argc, argv, [&] { return behave(how, output, line.json()); });
}
