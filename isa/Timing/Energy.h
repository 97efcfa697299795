// An energy model of multiplications and data movement: picojoules for a 28 nm process, figures from a public
// presentation by ARM. A sum shows where the energy of a layer goes and how two schedules compare. It does
// not predict a chip's power, to which leakage, clocks and control contribute as well.
#pragma once

#include "isa/Machine/Machine.h"
#include "isa/Timing/Traffic.h"

namespace tilerig {

struct EnergyTable {
  // Energy of an 8-bit multiply-accumulate operation, for which the presentation has no figure. Area and
  // energy of a multiplier grow with the square of its width, as the figures for 16-bit and 32-bit integers
  // (1 pJ and 4 pJ) confirm, so a quarter of the 16-bit figure is assumed.
  double mac8 = 0.25;
  double mac16 = 1; // energy of an integer multiply-accumulate operation; also used for fp16 and bf16
  double macFloat32 = 6;
  double sramByte = 1.5; // energy of reading a byte of on-chip memory; also used for writing
  double dramByte = 250;
  double wireByte = 7; // energy of moving a byte over 20 mm, with half of the bits toggling
};
inline constexpr EnergyTable energyTable;

// Numbers of multiplications, one for each width of the operands.
struct Macs {
  uint64_t bits8 = 0, bits16 = 0, bits32 = 0;
  uint64_t sum() const { return bits8 + bits16 + bits32; }
};

struct Energy {
  double macs = 0, sram = 0, dram = 0, wires = 0; // in picojoules
  double sum() const { return macs + sram + dram + wires; }
};

// The energy of multiply-accumulates and of moving bytes. The longer side of the mesh is assumed to measure
// 20 mm, which gives the length of links. Wires between a tile and its router, and the arithmetic of the PE
// (vector engine), are neglected.
constexpr Energy energyOf(const Macs &macs, const Traffic &traffic, const Machine &machine) {
  const EnergyTable &table = energyTable;
  const uint32_t side = machine.network.routerRows > machine.network.routerColumns
                            ? machine.network.routerRows
                            : machine.network.routerColumns;
  const auto times = [](uint64_t count, double each) { return static_cast<double>(count) * each; };
  return {times(macs.bits8, table.mac8) + times(macs.bits16, table.mac16) +
              times(macs.bits32, table.macFloat32),
          times(traffic.ocmReadBytes + traffic.ocmWriteBytes, table.sramByte),
          times(traffic.ddrReadBytes + traffic.ddrWriteBytes, table.dramByte),
          times(traffic.linkBytes, table.wireByte) / side};
}

} // namespace tilerig
