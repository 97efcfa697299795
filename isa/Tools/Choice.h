// An option that takes one of some words. --help shows them as "fast|timed".
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tilerig {

template <class T>
using Words = std::vector<std::pair<std::string, T>>;

// The option stays as `value` is unless it is given; what that is called, --help says too.
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
    throw CLI::ValidationError(names, "'" + given + "' is none of " + all);
  };
  return app.add_option_function<std::string>(names, take, help)->type_name(all)->default_str(standing);
}

} // namespace tilerig
