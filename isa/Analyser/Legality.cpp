#include "isa/Analyser/Legality.h"

#include "isa/Instructions/Check.h"
#include "isa/Program/Verify.h"

#include <fmt/format.h>

namespace tilerig {

namespace {

void checkCode(const Program &program, uint32_t stage, uint32_t tile, const std::vector<Instruction> &code,
               Report &report) {
  bool halted = false;
  for (uint32_t index = 0; index < code.size(); ++index) {
    const auto place = [&] { return std::vector{placeOf(program, stage, tile, index)}; };
    if (halted)
      report.add({.kind = ProblemKind::instructionAfterHalt,
                  .places = place(),
                  .text = "the instruction comes after the halt of its tile and is never executed"});
    if (const Status status = checkInstruction(code[index], program.machine, tile, program.tiles); !status)
      report.add(
          {.kind = ProblemKind::illegalInstruction, .places = place(), .text = status.error().message()});
    halted = halted || std::holds_alternative<Halt>(code[index]);
  }
  if (!halted)
    report.add({.kind = ProblemKind::missingHalt,
                .places = code.empty() ? std::vector<Place>{}
                                       : std::vector{placeOf(program, stage, tile,
                                                             static_cast<uint32_t>(code.size()) - 1)},
                .text = fmt::format("the program of tile {} in stage '{}' does not end with halt", tile,
                                    program.stages[stage].name)});
}

} // namespace

// verifyProgram stops at the first error. If it finds one, all instructions are checked here, so that every
// error is reported.
bool checkLegality(const Program &program, Report &report) {
  const Status status = verifyProgram(program);
  if (status)
    return true;
  if (program.tiles <= program.machine.network.tiles)
    for (uint32_t stage = 0; stage < program.stages.size(); ++stage)
      if (auto *device = std::get_if<DeviceStage>(&program.stages[stage].work);
          device && device->tiles.size() == program.tiles)
        for (uint32_t tile = 0; tile < program.tiles; ++tile)
          checkCode(program, stage, tile, device->tiles[tile], report);
  if (report.problems.empty())
    report.add({.kind = ProblemKind::malformedProgram, .text = status.error().message()});
  return false;
}

} // namespace tilerig
