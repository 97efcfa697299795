// The commands of `tilerig`: each one's name, purpose and one-line summary, stated once.
//
// The front door lists this table; a command built on CommandLine prints its own row as the head of its help.
// The program behind a row is `tilerig-NAME`, beside the front door.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace tilerig {

struct CommandInfo {
  std::string_view group; // what a user is after; rows of a group stand together
  std::string_view name;
  std::string_view summary;
  bool exists = true; // false: announced, and not part of this version
};

inline constexpr bool planned = false;

inline constexpr CommandInfo commandTable[] = {
    {"The whole way", "check", "compile, run and compare every layer with the reference"},
    {"The whole way", "compile", "turn an ONNX model into a program"},
    {"The whole way", "run", "emulate a program"},
    {"The whole way", "reference", "interpret an ONNX model, independently of the compiler"},
    {"The whole way", "verify", "compare two sets of tensors, element by element"},
    {"Finding a fault", "bisect", "find the first failing layer and a minimal reproducer", planned},
    {"Finding a fault", "debug", "stop, step and look into a running program", planned},
    {"Naming a bug", "inject", "list the bugs that can be injected, or put one into a program"},
    {"Naming a bug", "dataset", "make labelled evidence from injected bugs"},
    {"Naming a bug", "train", "train a classifier on a dataset"},
    {"Naming a bug", "evaluate", "judge classifiers on a dataset"},
    {"Naming a bug", "classify", "name the bug behind two sets of tensors that differ"},
    {"Programs and models", "asm", "assemble a text into a program"},
    {"Programs and models", "disasm", "print a program as text that assembles to it again"},
    {"Programs and models", "inspect", "show what a program, tensor or machine file holds"},
    {"Programs and models", "zoo", "write one of the networks we know how to make"},
};

constexpr const CommandInfo *findCommand(std::string_view name) {
  auto row = std::ranges::find(commandTable, name, &CommandInfo::name);
  return row == std::end(commandTable) ? nullptr : &*row;
}

// The row of a command by its name; a name that has none does not compile. (Not by findCommand: under
// -fsanitize=undefined g++ takes no comparison of a pointer with null for a constant.)
consteval CommandInfo command(std::string_view name) {
  for (const CommandInfo &row : commandTable)
    if (row.name == name)
      return row;
  throw "no such command in commandTable";
}

} // namespace tilerig
