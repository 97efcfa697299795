// `tilerig inspect`: shows what a file contains. The kind of file is recognised by its first bytes or, where
// these do not tell, by its name.
#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/CommandLine/IdleOptions.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Program/Header.h"
#include "isa/Program/ProgramSet.h"
#include "isa/Tools/Inspect/Views.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace tilerig {

std::string dump(const nlohmann::ordered_json &document) {
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

static bool beginsWith(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::ranges::equal(bytes.first(magic.size()), std::as_bytes(std::span(magic)));
}

enum class FileKind { program, tensors, machine };

static Result<FileKind> kindOf(const std::string &file) {
  auto machines = builtInMachines();
  if (std::ranges::find(machines, file) != machines.end() && !std::filesystem::exists(file))
    return FileKind::machine;
  if (std::filesystem::is_directory(file))
    return FileKind::tensors;
  const ProgramName program = programNameOf(file);
  TILERIG_TRY(MappedFile map, MappedFile::open(program.file));
  // Damaged programs count as programs, too, so that the reader can report what is wrong.
  if (program.file.ends_with(".trb") || isProgramSet(map.bytes()) ||
      (map.bytes().size() > 4 && beginsWith(map.bytes().subspan(1), "TRB")))
    return FileKind::program;
  if (file.ends_with(".json"))
    return FileKind::machine;
  if (file.ends_with(".pb") || beginsWith(map.bytes(), "\x93NUMPY") || beginsWith(map.bytes(), "PK"))
    return FileKind::tensors;
  return invalidInput(
      file, "this is not a kind of file that inspect can show",
      "inspect shows programs (.trb), tensors (.npz, .npy, .pb) and machines (.json, or tr64, tr16, tiny)");
}

static Result<std::string> inspect(const std::string &file, const InspectOptions &options,
                                   const CommandOptions &line) {
  TILERIG_TRY(const FileKind kind, kindOf(file));
  for (const char *part : {"--layers", "--tensors", "--instructions", "--delays"})
    TILERIG_CHECK_OK(refuseIdle(
        line, {{part, kind != FileKind::program,
                "this option shows a part of a program, but " + file + " is not a program", "omit it"},
               {part, options.json,
                "this option selects parts of the text output, but the JSON output always has all parts",
                "remove --json, or the option that selects parts"}}));
  switch (kind) {
  case FileKind::program:
    return inspectProgram(file, options);
  case FileKind::tensors:
    return inspectTensors(file, options);
  case FileKind::machine:
    return inspectMachine(file, options);
  }
  return internalError(file, "the kind of the file was not determined");
}

} // namespace tilerig

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(command("inspect"),
                   "tilerig inspect model.trb\ntilerig inspect tensors.npz --json\ntilerig inspect tr64");
  std::string file;
  InspectOptions options;
  line.options()
      .addOption("FILE", file,
                 "program (FILE#2: the second of several in a file), tensor file, or "
                 "machine (a name or a .json file)")
      .required();
  line.options().addFlag("--layers", options.layers, "list all layers of a program");
  line.options().addFlag("--tensors", options.tensors,
                         "list all tensors of a program and where they are "
                         "stored");
  line.options().addFlag("--instructions", options.instructions,
                         "count the instructions of a program by "
                         "kind");
  line.options().addFlag("--delays", options.delays,
                         "list all delays of a program, with the ids for tilerig run --delay");
  return line.run(argc, argv, [&]() -> Result<ExitCode> {
    options.json = line.json();
    TILERIG_TRY(std::string text, inspect(file, options, line.options()));
    std::cout << text;
    return ExitCode::done;
  });
}
