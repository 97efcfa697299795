#include "isa/Program/Relocate.h"

#include "isa/Instructions/Streams.h"
#include "isa/Program/Verify.h"

#include <fmt/core.h>

namespace tilerig {

namespace {

void move(Instruction &instruction, uint64_t base) {
  std::visit(
      [&](auto &typed) {
        forEachStream(typed, [&](std::string_view, Stream &stream) {
          stream.base += stream.space == Space::ddr ? base : 0;
        });
      },
      instruction);
}

void move(Program &program, uint64_t base) {
  for (Stage &stage : program.stages)
    if (auto *device = std::get_if<DeviceStage>(&stage.work))
      for (std::vector<Instruction> &code : device->tiles)
        for (Instruction &instruction : code)
          move(instruction, base);
  for (ConstantData &constant : program.constants)
    constant.address += base;
  for (proto::Tensor &tensor : *program.metadata.mutable_tensors())
    for (proto::Piece &piece : *tensor.mutable_pieces())
      if (piece.ddr())
        piece.set_address(piece.address() + base);
}

} // namespace

Result<Program> relocated(Program program, uint64_t base) {
  const std::string place = fmt::format("the base {:#x} in DDR", base);
  if (base == 0)
    return program;
  if (!program.metadata.ddr_relocatable())
    return invalidInput(place, "the program was compiled for fixed addresses in DDR",
                        "compile it with --dram_addr_relocatable");
  if (base % ddrBaseBytes != 0)
    return invalidInput(
        place,
        fmt::format("the address is not a multiple of {} bytes, the unit of relocation", ddrBaseBytes));
  if (base >= program.machine.ddr.sizeBytes) // a larger base could overflow an address
    return invalidInput(
        place, fmt::format("the address lies past the end of the {} bytes of DDR of the machine '{}'",
                           program.machine.ddr.sizeBytes, program.machine.name));
  move(program, base);
  if (const Status legal = verifyProgram(program); !legal)
    return invalidInput(
        place, fmt::format("the program does not fit at this base address: {}", legal.error().message()));
  if (program.proof)
    program.proof->set_content_hash(hashContent(program));
  return program;
}

} // namespace tilerig
