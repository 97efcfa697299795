#include "isa/Tools/CommandLine.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <new>
#include <string_view>

namespace tilerig {

static const char *nameOf(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::usage:
    return "usage";
  case ErrorKind::invalidInput:
    return "invalidInput";
  case ErrorKind::unsupported:
    return "unsupported";
  case ErrorKind::internal:
    return "internal";
  }
  return "internal";
}

static std::string asJson(const Error &error) {
  nlohmann::ordered_json body = {
      {"kind", nameOf(error.kind)}, {"place", error.place}, {"what", error.what}, {"remedy", error.remedy}};
  nlohmann::ordered_json document = {{"error", body}};
  // A path need not be UTF-8; a JSON document must be.
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

// "tilerig disasm model.trb" on each line, indented under the heading.
static std::string exampleSection(const std::string &example) {
  std::string text = "Example:\n  ";
  for (char c : example)
    text += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return text;
}

// Output that did not arrive (a full disk behind a redirection) must not pass for success.
static Status flushOutput() {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && !std::ferror(stdout) && std::cout)
    return success();
  return invalidInput("standard output", std::string("cannot write: ") + std::strerror(errno),
                      "make room there, or send the output elsewhere");
}

CommandLine::CommandLine(const CommandInfo &command, const std::string &example)
    : app(std::string(command.summary), "tilerig " + std::string(command.name)) {
  app.set_help_flag("-h,--help", "print this help and exit");
  app.set_version_flag("--version", "tilerig " TILERIG_VERSION, "print the version and exit");
  app.add_flag("--json", wantsJson,
               "print the result, or the error, as one JSON document on standard output");
  app.footer(exampleSection(example));
}

Result<ExitCode> CommandLine::parseAndRun(int argc, char **argv,
                                          const std::function<Result<ExitCode>()> &body) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &) {
    std::cout << app.help();
    return ExitCode::done;
  } catch (const CLI::CallForVersion &version) {
    std::cout << version.what() << '\n';
    return ExitCode::done;
  } catch (const CLI::ParseError &wrong) {
    return usageError("", wrong.what(), "see " + app.get_name() + " --help");
  }
  TRY(ExitCode code, body());
  CHECK_OK(flushOutput());
  return code;
}

int CommandLine::report(const Error &error) const {
  if (wantsJson)
    std::cout << asJson(error) << std::endl;
  if (!wantsJson || !std::cout)
    std::cerr << app.get_name() << ": " << error.message() << std::endl;
  return static_cast<int>(exitCodeOf(error.kind));
}

int CommandLine::run(int argc, char **argv, const std::function<Result<ExitCode>()> &body) {
  // A parent that ignores SIGPIPE passes that on; a filter then goes on writing to nobody.
  std::signal(SIGPIPE, SIG_DFL);
  // A line too wrong to parse still says how it wants to be told.
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
    return report(internalError("", "an exception of unknown type escaped"));
  }
}

} // namespace tilerig
