#include "isa/Base/CommandLine/CommandOptions.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <optional>

namespace tilerig {

CommandOption &CommandOption::required() {
  option->required();
  return *this;
}

CommandOption &CommandOption::showDefault() {
  option->capture_default_str();
  return *this;
}

CommandOption &CommandOption::showDefault(const std::string &text) {
  option->default_str(text);
  return *this;
}

CommandOption &CommandOption::valueName(const std::string &name) {
  option->type_name(name);
  return *this;
}

CommandOption &CommandOption::group(const std::string &heading) {
  option->group(heading);
  return *this;
}

template <class T>
CommandOption &CommandOption::range(T least, T most) {
  option->check(CLI::Range(least, most));
  return *this;
}

template CommandOption &CommandOption::range(int, int);
template CommandOption &CommandOption::range(unsigned, unsigned);
template CommandOption &CommandOption::range(int64_t, int64_t);
template CommandOption &CommandOption::range(uint64_t, uint64_t);
template CommandOption &CommandOption::range(double, double);

CommandOption &CommandOption::atLeast(double least) {
  // Does not use CLI11's own check of ranges, because that would accept NaN.
  const auto check = [least](const std::string &text) -> std::string {
    double number = 0;
    const bool fits = CLI::detail::lexical_cast(text, number) && number >= least;
    return fits ? "" : fmt::format("'{}' is not a number of at least {}", text, least);
  };
  option->check(CLI::Validator(check, fmt::format("at least {}", least)));
  return *this;
}

CommandOption &CommandOption::oneOf(const std::vector<std::string> &words) {
  option->check(CLI::IsMember(words));
  return *this;
}

CommandOption &CommandOption::bytes() {
  option->transform(CLI::AsSizeValue(false));
  return *this;
}

CommandOption &CommandOption::delimiter(char character) {
  option->delimiter(character);
  return *this;
}

CommandOption &CommandOption::oneValueEach() {
  option->allow_extra_args(false);
  return *this;
}

CommandOption &CommandOption::excludes(const CommandOption &other) {
  option->excludes(other.option);
  return *this;
}

CommandOption &CommandOption::needs(const CommandOption &other) {
  option->needs(other.option);
  return *this;
}

CommandOptions::CommandOptions(const std::string &summary, const std::string &command)
    : app(std::make_unique<CLI::App>(summary, command)) {}

CommandOptions::~CommandOptions() = default;

template <class T>
CommandOption CommandOptions::addOption(const std::string &names, T &value, const std::string &help) {
  return CommandOption(app->add_option(names, value, help));
}

// Instantiates addOption() for each type of value that a command uses.
#define TILERIG_OPTION_OF(...)                                                                               \
  template CommandOption CommandOptions::addOption(const std::string &, __VA_ARGS__ &, const std::string &)

TILERIG_OPTION_OF(std::string);
TILERIG_OPTION_OF(std::vector<std::string>);
TILERIG_OPTION_OF(int);
TILERIG_OPTION_OF(unsigned);
TILERIG_OPTION_OF(int64_t);
TILERIG_OPTION_OF(uint64_t);
TILERIG_OPTION_OF(double);
TILERIG_OPTION_OF(std::optional<unsigned>);
TILERIG_OPTION_OF(std::optional<int64_t>);
TILERIG_OPTION_OF(std::optional<uint64_t>);
TILERIG_OPTION_OF(std::optional<double>);

CommandOption CommandOptions::addParsedOption(const std::string &names,
                                              std::function<std::string(const std::string &)> take,
                                              const std::string &help) {
  const auto takeOrThrow = [names, take = std::move(take)](const std::string &text) {
    if (const std::string wrong = take(text); !wrong.empty())
      throw CLI::ValidationError(names, wrong);
  };
  return CommandOption(app->add_option_function<std::string>(names, takeOrThrow, help));
}

CommandOption CommandOptions::addFlag(const std::string &names, bool &value, const std::string &help) {
  return CommandOption(app->add_flag(names, value, help));
}

size_t CommandOptions::count(const std::string &name) const { return app->count(name); }

bool CommandOptions::has(const std::string &name) const { return app->get_option_no_throw(name) != nullptr; }

std::vector<GivenOption> CommandOptions::givenOptions() const {
  std::vector<GivenOption> options;
  for (const CLI::Option *option : std::as_const(*app).get_options())
    if (option->count() > 0)
      options.push_back(
          {option->get_name(), option->get_lnames(), option->results(), option->get_expected_max() == 0});
  return options;
}

std::vector<std::string> GivenOption::words() const {
  std::vector<std::string> words;
  if (isFlag)
    return {name};
  for (const std::string &value : values) {
    words.push_back(name);
    words.push_back(value);
  }
  return words;
}

} // namespace tilerig
