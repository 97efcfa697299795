// Command-line options that take one of a fixed set of words, shown in --help as "fast|timed".
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tilerig {

template <class T>
using Words = std::vector<std::pair<std::string, T>>;

// Adds an option that takes one of `words`. If the option is not given, `value` keeps its initial value,
// whose word --help shows as the default.
template <class T, class Value>
CLI::Option *addChoice(CLI::App &app, const std::string &names, Value &value, const Words<T> &words,
                       const std::string &help) {
  std::string all, standing;
  for (const auto &[word, meaning] : words) {
    all += (all.empty() ? "" : "|") + word;
    if (value == meaning)
      standing = word;
  }
  const auto take = [&value, names, words, all](const std::string &given) {
    for (const auto &[word, meaning] : words)
      if (word == given) {
        value = meaning;
        return;
      }
    throw CLI::ValidationError(names, "'" + given + "' is not one of " + all);
  };
  return app.add_option_function<std::string>(names, take, help)->type_name(all)->default_str(standing);
}

} // namespace tilerig
