// What multiplications and moved bytes cost in energy: picojoules of a 28 nm process, the figures that ARM
// gave in a public presentation. A sum of them says where the energy of a layer goes and how two schedules
// compare; it is no prediction of a chip's power, which leakage, clocks and control make up, too.
#pragma once

#include "isa/Machine/Machine.h"
#include "isa/Timing/Traffic.h"

namespace tilerig {

struct EnergyTable {
  // The presentation has none for 8 bits. A multiplier's area and energy grow with the square of its width,
  // which is what its 16 and 32 bits show as well (1 and 4): a quarter of the former.
  double mac8 = 0.25;
  double mac16 = 1; // its integer MAC, taken for fp16 and bf16 too
  double macFloat32 = 6;
  double sramByte = 1.5; // read; writing is taken for as much
  double dramByte = 250;
  double wireByte = 7; // over 20 mm, half of the bits changing
};
inline constexpr EnergyTable energyTable;

// Multiplications by the width of their operands.
struct Macs {
  uint64_t bits8 = 0, bits16 = 0, bits32 = 0;
  uint64_t sum() const { return bits8 + bits16 + bits32; }
};

struct Energy {
  double macs = 0, sram = 0, dram = 0, wires = 0; // pJ
  double sum() const { return macs + sram + dram + wires; }
};

// The longer side of the mesh is taken for the 20 mm: a link is that part of it which lies between two
// routers. The short ways between a tile and its router are left out, and so is the arithmetic of the PE, for
// which there is no figure; its memory traffic counts.
constexpr Energy energyOf(const Macs &macs, const Traffic &traffic, const Machine &machine) {
  const EnergyTable &it = energyTable;
  const uint32_t side = machine.network.routerRows > machine.network.routerColumns
                            ? machine.network.routerRows
                            : machine.network.routerColumns;
  const auto times = [](uint64_t count, double each) { return static_cast<double>(count) * each; };
  return {times(macs.bits8, it.mac8) + times(macs.bits16, it.mac16) + times(macs.bits32, it.macFloat32),
          times(traffic.ocmReadBytes + traffic.ocmWriteBytes, it.sramByte),
          times(traffic.ddrReadBytes + traffic.ddrWriteBytes, it.dramByte),
          times(traffic.linkBytes, it.wireByte) / side};
}

} // namespace tilerig
