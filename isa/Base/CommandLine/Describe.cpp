#include "isa/Base/CommandLine/Describe.h"

#include "isa/Base/Support/Json.h"

#include <CLI/CLI.hpp>

namespace tilerig {

static Json describeOption(const CLI::Option &option) {
  Json names = Json::array();
  if (option.get_positional())
    names.push_back(option.get_name(true, false));
  for (const std::string &name : option.get_snames())
    names.push_back("-" + name);
  for (const std::string &name : option.get_lnames())
    names.push_back("--" + name);
  const bool isFlag = option.get_items_expected_max() == 0;
  return {{"names", std::move(names)},
          {"value", isFlag ? "" : option.get_type_name()},
          {"default", option.get_default_str()},
          {"help", option.get_description()},
          {"group", option.get_group()},
          {"required", option.get_required()},
          {"repeated", option.get_items_expected_max() > 1}};
}

static Json linesOf(const std::string &text) {
  Json lines = Json::array();
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

Json describeCommand(const CommandOptions &command, const std::string &examples) {
  const CLI::App &app = command.parser();
  Json positionals = Json::array(), options = Json::array();
  for (const CLI::Option *option : app.get_options())
    if (!option->get_group().empty()) // hidden options have an empty group name
      (option->get_positional() ? positionals : options).push_back(describeOption(*option));
  return {{"name", app.get_name()},
          {"summary", app.get_description()},
          {"examples", linesOf(examples)},
          {"positionals", std::move(positionals)},
          {"options", std::move(options)}};
}

} // namespace tilerig
