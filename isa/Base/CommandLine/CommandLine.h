// The common command-line behaviour of all `tilerig` commands; a command adds only its own options and its
// body:
//
//   int main(int argc, char **argv) {
//     std::string file;
//     CommandLine line(command("disasm"), "tilerig disasm model.trb");
//     line.options().addOption("FILE", file, "program to print").required();
//     return line.run(argc, argv, [&]() -> Result<ExitCode> {
//       TILERIG_TRY(auto program, Program::open(file));
//       ...
//       return ExitCode::done;
//     });
//   }
//
// Besides --help, --version and --json, every command has the hidden option --describe, which prints its
// definition as JSON (Describe.h).
//
// Exit codes are ExitCode: 0 done or match, 1 mismatch, 2 wrong usage, 3 input invalid or not supported, 4
// internal error. An error is reported as one line on standard error. With --json, standard output carries
// exactly one JSON document, and tilerig writes nothing to standard error. The document is either the
// command's result, or
//   {"error": {"kind": "usage|invalidInput|unsupported|internal", "place": ..., "what": ..., "remedy": ...}}
// With --json, a body must print its document last and as a whole, because no error can be reported after it.
// Writing into a closed pipe ends the command silently, as with any filter. An exception that escapes the
// body is reported as an internal error.
#pragma once

#include "isa/Base/CommandLine/CommandOptions.h"
#include "isa/Base/CommandLine/Commands.h"
#include "isa/Base/Support/Error.h"

#include <functional>
#include <string>

namespace tilerig {

class CommandLine {
public:
  // `example` is a complete call, shown at the end of --help; several are separated by newlines.
  CommandLine(const CommandInfo &command, const std::string &example);

  // The definition of the command line. The command adds its own options and positional arguments; --help,
  // --version and --json are predefined.
  CommandOptions &options() { return definition; }
  // Whether the user gave --json; may be called only while the body of the command runs.
  bool json() const { return wantsJson; }

  // Parses the command line, runs the body unless the line asks for help or is wrong, reports errors, and
  // returns the exit code for main.
  int run(int argc, char **argv, const std::function<Result<ExitCode>()> &body);

private:
  Result<ExitCode> parseAndRun(int argc, char **argv, const std::function<Result<ExitCode>()> &body);
  int report(const Error &error) const;

  CommandOptions definition;
  std::string example;
  bool wantsJson = false;
};

} // namespace tilerig
