// How every command of `tilerig` behaves towards its caller, so that each one states only what is its own:
//
//   int main(int argc, char **argv) {
//     std::string file;
//     CommandLine line(command("disasm"), "tilerig disasm model.trb");
//     line.options().add_option("FILE", file, "program to print")->required();
//     return line.run(argc, argv, [&]() -> Result<ExitCode> {
//       TRY(auto program, Program::open(file));
//       ...
//       return ExitCode::done;
//     });
//   }
//
// Exit codes are ExitCode: 0 done or match, 1 mismatch, 2 wrong usage, 3 input invalid or not supported, 4
// internal error. A refusal is one line on standard error. With --json standard output carries exactly one
// JSON document and standard error nothing of ours: either the command's result, or
//   {"error": {"kind": "usage|invalidInput|unsupported|internal", "place": ..., "what": ..., "remedy": ...}}
// A body under --json therefore prints its document last, whole. Writing into a pipe that nobody reads ends
// the command silently, as it does any filter; an exception that escapes the body is an internal error.
#pragma once

#include "isa/Support/Error.h"
#include "isa/Tools/Commands.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace tilerig {

class CommandLine {
public:
  // `example` is a call that works as it stands, shown at the end of --help; several are separated by
  // newlines.
  CommandLine(const CommandInfo &command, const std::string &example);

  // Where the command adds its own options and positionals. --help, --version and --json are there already.
  CLI::App &options() { return app; }
  // Whether the caller wants JSON; valid inside the body.
  bool json() const { return wantsJson; }

  // Parses, runs the body unless the line asked for help or is wrong, reports, and returns main's result.
  int run(int argc, char **argv, const std::function<Result<ExitCode>()> &body);

private:
  Result<ExitCode> parseAndRun(int argc, char **argv, const std::function<Result<ExitCode>()> &body);
  int report(const Error &error) const;

  CLI::App app;
  bool wantsJson = false;
};

} // namespace tilerig
