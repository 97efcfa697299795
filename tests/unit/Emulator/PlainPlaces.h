// Gives one instruction access to its operands in the memories of a PlainMachine, as an emulator session
// does.
#pragma once

#include "emulator/Execute/Prepare.h"
#include "tests/unit/Emulator/PlainMachine.h"

namespace tilerig::test {
using namespace emulator;

class PlainPlaces final : public Places {
public:
  // The operands are those of an instruction that `tile` executes. `constantWeights`: the weights of POD
  // (matrix engine) instructions count as constant.
  PlainPlaces(PlainMachine &machine, unsigned tile, bool constantWeights)
      : machine(machine), tile(tile), constantWeights(constantWeights) {}

  View view(std::string_view, const Stream &stream, unsigned at) const override {
    auto &memory = stream.space == Space::ddr      ? machine.ddr
                   : stream.space == Space::remote ? machine.ocms[stream.tile]
                                                   : machine.ocms[at];
    return {memory.data() + stream.base, stream.type, stream.dims};
  }
  bool isConstant(std::string_view operand) const override {
    return constantWeights && (operand == "weights" || operand == "b");
  }
  PackCache &packs() const override { return cache; }
  const std::byte *vector(std::string_view, uint64_t base, uint64_t) const override {
    return machine.ocms[tile].data() + base;
  }

private:
  PlainMachine &machine;
  unsigned tile;
  bool constantWeights;
  mutable PackCache cache;
};

} // namespace tilerig::test
