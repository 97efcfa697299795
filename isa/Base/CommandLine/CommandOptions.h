// The options of a command line. These classes hide CLI11 from the commands, because CLI11's headers take
// longer to compile than most commands. Only the .cpp files of this folder include them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace tilerig {

// An option of a command; its functions refine it, in any order, and return the option itself.
class CommandOption {
public:
  explicit CommandOption(CLI::Option *option) : option(option) {}

  CommandOption &required();
  // Shows the initial value of the variable, or `text`, as the default in --help.
  CommandOption &showDefault();
  CommandOption &showDefault(const std::string &text);
  // Shows the value of the option as `name` in --help.
  CommandOption &valueName(const std::string &name);
  // Sets the heading under which --help lists the option; an empty heading hides the option.
  CommandOption &group(const std::string &heading);

  // Makes the option accept only numbers from `least` to `most`.
  template <class T>
  CommandOption &range(T least, T most);
  CommandOption &atLeast(double least);
  CommandOption &oneOf(const std::vector<std::string> &words);
  // Makes the option accept a number of bytes with a unit: 4k and 4kb are 4,000, 4kib is 4,096.
  CommandOption &bytes();
  // Splits each value of the option into several values at the given character.
  CommandOption &delimiter(char character);
  // Makes the option take one value each time it is given. Otherwise it takes all words that follow.
  CommandOption &oneValueEach();

  CommandOption &excludes(const CommandOption &other);
  CommandOption &needs(const CommandOption &other);

private:
  CLI::Option *option; // option of CLI11, owned by the command line
};

// An option that the user gave, and its values.
struct GivenOption {
  std::string name;
  std::vector<std::string> longNames; // without dashes
  std::vector<std::string> values;
  bool isFlag = false; // its value is not written behind its name

  // The words with which the option is given again.
  std::vector<std::string> words() const;
};

class CommandOptions {
public:
  CommandOptions(const std::string &summary, const std::string &command);
  ~CommandOptions();
  CommandOptions(const CommandOptions &) = delete;
  CommandOptions &operator=(const CommandOptions &) = delete;

  // Adds an option, or a positional if the name has no dash, whose value is stored in `value`. T is a string,
  // a number, or a vector or std::optional of them; CommandOptions.cpp lists the types.
  template <class T>
  CommandOption addOption(const std::string &names, T &value, const std::string &help);
  // Adds an option whose value is passed to the function `take`, which returns an error message, or an empty
  // string if the value is legal.
  CommandOption addParsedOption(const std::string &names,
                                std::function<std::string(const std::string &)> take,
                                const std::string &help);
  CommandOption addFlag(const std::string &names, bool &value, const std::string &help);

  // Whether an option with this name is declared.
  bool has(const std::string &name) const;
  // How often the user gave the option with this name.
  size_t count(const std::string &name) const;
  // The options that the user gave.
  std::vector<GivenOption> givenOptions() const;

  // CLI11's parser, for CommandLine.cpp and Describe.cpp only.
  CLI::App &parser() { return *app; }
  const CLI::App &parser() const { return *app; }

private:
  std::unique_ptr<CLI::App> app;
};

template <class T>
using Words = std::vector<std::pair<std::string, T>>;

// Adds an option that takes one of `words`, shown in --help as "fast|timed". If the option is not given,
// `value` keeps its initial value, whose word --help shows as the default.
template <class T, class Value>
CommandOption addChoice(CommandOptions &options, const std::string &names, Value &value,
                        const Words<T> &words, const std::string &help) {
  std::string all, initial;
  for (const auto &[word, meaning] : words) {
    all += (all.empty() ? "" : "|") + word;
    if (value == meaning)
      initial = word;
  }
  const auto take = [&value, words, all](const std::string &text) -> std::string {
    for (const auto &[word, meaning] : words)
      if (word == text) {
        value = meaning;
        return "";
      }
    return "'" + text + "' is not one of " + all;
  };
  return options.addParsedOption(names, take, help).valueName(all).showDefault(initial);
}

} // namespace tilerig
