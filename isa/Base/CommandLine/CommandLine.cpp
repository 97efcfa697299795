#include "isa/Base/CommandLine/CommandLine.h"

#include "isa/Base/CommandLine/Describe.h"
#include "isa/Base/CommandLine/ErrorJson.h"
#include "isa/Base/CommandLine/PrintableStream.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Support/Nearest.h"
#include "isa/Base/Support/Printable.h"
#include "isa/Base/Support/Temporaries.h"
#include "isa/Base/Support/Writable.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <new>
#include <string_view>
#include <vector>

namespace tilerig {

// The examples, one per line, e.g. "tilerig disasm model.trb", indented under the heading.
static std::string exampleSection(const std::string &example) {
  std::string text = "Example:\n  ";
  for (char c : example)
    text += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return text;
}

// Thrown by --describe while the command line is parsed, like CLI11's own exceptions for --help and
// --version.
struct DescriptionWanted {};

static Status flushOutput() {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && !std::ferror(stdout) && std::cout)
    return success();
  return standardOutputError();
}

CommandLine::CommandLine(const CommandInfo &command, const std::string &example)
    : definition(std::string(command.summary), "tilerig " + std::string(command.name)), example(example) {
  CLI::App &app = definition.parser();
  app.set_help_flag("-h,--help", "print this help and exit");
  app.set_version_flag("--version", "tilerig " TILERIG_VERSION, "print the version and exit");
  app.add_flag("--json", wantsJson,
               "print the result, or the error, as one JSON document on standard output");
  app.add_flag_callback(
         "--describe", [] { throw DescriptionWanted(); },
         "print the options, positionals and examples of the command as JSON")
      ->group(""); // a hidden option, for generators of man pages and completions
  app.footer(exampleSection(example));
}

// Whether the value of the option is a file that the command writes. The list covers all commands.
// --strategy-to is left out, because a command may read and update the same strategy file.
static bool isWritten(const GivenOption &option) {
  static constexpr auto names =
      std::to_array<std::string_view>({"output", "outputs", "capture-to", "stats", "trace", "elements",
                                       "report-to", "calibration-table", "save-inputs"});
  return std::ranges::any_of(option.longNames, [](const std::string &name) {
    return std::ranges::find(names, name) != names.end();
  });
}

// Whether two paths name the same file. Devices are exempt, because writing to them destroys nothing.
static bool isOneFile(const std::filesystem::path &a, const std::filesystem::path &b) {
  std::error_code failed;
  if (!std::filesystem::exists(a, failed) && !std::filesystem::exists(b, failed))
    return std::filesystem::absolute(a, failed).lexically_normal() ==
           std::filesystem::absolute(b, failed).lexically_normal();
  return std::filesystem::is_regular_file(a, failed) && std::filesystem::equivalent(a, b, failed);
}

// Refuses an output file that is also an input or another output, which would be overwritten.
static Status checkWritten(const CommandOptions &options) {
  const std::vector<GivenOption> givenOptions = options.givenOptions();
  std::vector<std::pair<const GivenOption *, std::string>> values;
  for (const GivenOption &option : givenOptions)
    for (const std::string &value : option.values)
      values.emplace_back(&option, value);
  for (const auto &[writer, file] : values) {
    if (!isWritten(*writer))
      continue;
    if (file.empty() || file.starts_with("--"))
      return usageError(writer->name, "'" + file + "' is not a file name",
                        "give the name of the file to write");
    for (const auto &[other, value] : values)
      if (other != writer && isOneFile(file, value))
        return usageError(writer->name + " " + file, "the same file is also given as " + other->name,
                          "choose another file name");
  }
  return success();
}

// A suggestion for an unknown option: the option with the most similar name, or the only one whose name
// contains the given text.
static std::string optionMeant(const CLI::App &app, const std::string &wrong) {
  std::vector<std::string_view> names, longer;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames()) {
      names.push_back(name);
      if (name.find(wrong) != std::string::npos)
        longer.push_back(name);
    }
  const std::string_view nearest = nearestName(wrong, names);
  return std::string(nearest.empty() && longer.size() == 1 ? longer.front() : nearest);
}

static Error unexpected(const CLI::App &app, const CLI::ParseError &error) {
  const std::vector<std::string> words = app.remaining();
  const auto option =
      std::ranges::find_if(words, [](const std::string &word) { return word.starts_with("--"); });
  if (option == words.end())
    return usageError("", error.what(), "see " + app.get_name() + " --help");
  const std::string wrong = option->substr(2, option->find('=') - 2), meant = optionMeant(app, wrong);
  return usageError("", "there is no option --" + wrong,
                    meant.empty() ? "see " + app.get_name() + " --help" : "did you mean --" + meant + "?");
}

Result<ExitCode> CommandLine::parseAndRun(int argc, char **argv,
                                          const std::function<Result<ExitCode>()> &body) {
  CLI::App &app = definition.parser();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &) {
    std::cout << app.help();
    TILERIG_CHECK_OK(flushOutput());
    return ExitCode::done;
  } catch (const CLI::CallForVersion &version) {
    std::cout << version.what() << '\n';
    TILERIG_CHECK_OK(flushOutput());
    return ExitCode::done;
  } catch (const DescriptionWanted &) {
    std::cout << describeCommand(definition, example).dump() << '\n';
    TILERIG_CHECK_OK(flushOutput());
    return ExitCode::done;
  } catch (const CLI::ExtrasError &wrong) {
    return unexpected(app, wrong);
  } catch (const CLI::ParseError &wrong) {
    return usageError("", wrong.what(), "see " + app.get_name() + " --help");
  }
  TILERIG_CHECK_OK(checkWritten(definition));
  TILERIG_TRY(ExitCode code, body());
  TILERIG_CHECK_OK(flushOutput());
  return code;
}

int CommandLine::report(const Error &error) const {
  if (wantsJson)
    std::cout << errorDocument(error) << std::endl;
  if (!wantsJson || !std::cout)
    std::cerr << definition.parser().get_name() << ": " << printable(error.message()) << std::endl;
  return static_cast<int>(exitCodeOf(error.kind));
}

int CommandLine::run(int argc, char **argv, const std::function<Result<ExitCode>()> &body) {
  // Restores the default action of SIGPIPE, which ends the process. A parent process that ignores SIGPIPE
  // passes this on, and the process would then continue to write to a closed pipe.
  std::signal(SIGPIPE, SIG_DFL);
  removeTemporariesOnSignals();
  const PrintableStream output(std::cout), errors(std::cerr);
  // Detects --json before parsing, so that errors of parsing are reported as JSON, too.
  for (int i = 1; i < argc; ++i)
    wantsJson |= std::string_view(argv[i]) == "--json";
  try {
    auto code = parseAndRun(argc, argv, body);
    return code ? static_cast<int>(*code) : report(code.error());
  } catch (const std::bad_alloc &) {
    return report({ErrorKind::internal, "", "out of memory", "free memory, or work on a smaller input"});
  } catch (const std::exception &escaped) {
    return report(internalError("", escaped.what()));
  } catch (...) {
    return report(internalError("", "an exception of unknown type was not caught"));
  }
}

} // namespace tilerig
