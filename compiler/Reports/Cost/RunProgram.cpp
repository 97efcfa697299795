#include "compiler/Reports/Cost/RunProgram.h"

#include "compiler/Processes/ScratchFolder.h"
#include "compiler/Processes/StartCommand.h"
#include "isa/Base/Support/StrictJson.h"
#include "isa/Program/Writer.h"

namespace tilerig::compiler {

namespace {

Result<Json> runClock(const std::string &program, bool values) {
  std::vector<std::string> arguments = {program, "--mode", "timed"};
  if (!values)
    arguments.push_back("--no-values");
  const std::string command = programBeside("run");
  TILERIG_TRY(const std::string text, startCommand(command, arguments));
  return parseStrictJson(text, command, limitsOfOwnFiles);
}

} // namespace

Result<uint64_t> emulatedCycles(const std::string &file) {
  TILERIG_TRY(const Json document, runClock(file, false));
  return JsonPlace{&document, file}.at("cycles").wholeNumber<uint64_t>();
}

Result<LayerTable> measureLayers(const std::string &file, const GeneratedProgram &program,
                                 const GeneratedProgram &apart) {
  // The program runs on random inputs. If the network looks up rows of a table by an input, random indices
  // may lie beyond the table, so that the run fails. Then the program is run again without computing values,
  // which takes the same cycles.
  std::string note = "the program was run on random inputs";
  auto statistics = runClock(file, true);
  if (!statistics) {
    note = "the program was run without values, because it cannot run on random inputs: " +
           statistics.error().message();
    statistics = runClock(file, false);
  }
  TILERIG_TRY(const Json document, std::move(statistics));
  TILERIG_TRY(const ScratchFolder folder, ScratchFolder::create());
  const std::string fileApart = folder.path() + "/apart.trb";
  TILERIG_CHECK_OK(writeProgram(apart.program, fileApart));
  TILERIG_TRY(const Json documentApart, runClock(fileApart, false));
  TILERIG_TRY(LayerTable table, layerTable(apart, document, documentApart));
  table.note = std::move(note);
  table.expected = program.expectedCycles;
  table.sync = program.sync;
  table.dependencies = program.dependencies;
  return table;
}

} // namespace tilerig::compiler
