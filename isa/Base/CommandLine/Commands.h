// The table of all `tilerig` commands: name, group and one-line summary.
//
// The front door (the program `tilerig`) lists this table, and a command built on CommandLine prints its own
// row at the top of its help. The program of a row is `tilerig-NAME`, in the same directory as the front
// door.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace tilerig {

struct CommandInfo {
  std::string_view group; // purpose, by which --help groups the commands; rows of a group are adjacent
  std::string_view name;
  std::string_view summary;
  bool exists = true; // whether this version implements the command; if not, it is only planned
};

inline constexpr bool announcedOnly = false;

inline constexpr CommandInfo commandTable[] = {
    {"Compile, run, compare", "check", "compile, run and compare every layer with the reference"},
    {"Compile, run, compare", "compile", "turn an ONNX model into a program"},
    {"Compile, run, compare", "run", "emulate a program"},
    {"Compile, run, compare", "reference", "interpret an ONNX model, independently of the compiler"},
    {"Compile, run, compare", "verify", "compare two sets of tensors, element by element"},
    {"Finding a fault", "bisect", "find the first layer of a model that fails"},
    {"Finding a fault", "debug", "stop, step through and inspect a running program"},
    {"Find the cause of a bug", "inject", "list the bugs that can be injected, or inject one into a program"},
    {"Find the cause of a bug", "dataset", "make a labelled dataset from injected bugs"},
    {"Find the cause of a bug", "train", "train a classifier on a dataset"},
    {"Find the cause of a bug", "evaluate", "measure classifiers on a dataset"},
    {"Find the cause of a bug", "classify", "name the bug behind two sets of tensors that differ"},
    {"Programs and models", "asm", "assemble text into a program"},
    {"Programs and models", "disasm", "print a program as text that assembles to it again"},
    {"Programs and models", "inspect", "show what a program, tensor or machine file holds"},
    {"Programs and models", "zoo", "write one of the built-in test networks as ONNX"},
    {"Programs and models", "quantise", "quantise a float model in the forms that other tools write"},
};

constexpr const CommandInfo *findCommand(std::string_view name) {
  auto row = std::ranges::find(commandTable, name, &CommandInfo::name);
  return row == std::end(commandTable) ? nullptr : &*row;
}

// The row of a command; an unknown name does not compile. (findCommand is not used here, because under
// -fsanitize=undefined g++ does not accept a comparison of a pointer with null as a constant expression.)
consteval CommandInfo command(std::string_view name) {
  for (const CommandInfo &row : commandTable)
    if (row.name == name)
      return row;
  throw "no such command in commandTable";
}

} // namespace tilerig
