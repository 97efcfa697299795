#include "compiler/Planning/Cost/Demand.h"

#include "isa/Timing/Dma.h"
#include "isa/Timing/Latency.h"
#include "isa/Timing/Pod.h"

#include <algorithm>
#include <cassert>

namespace tilerig::compiler {

namespace {

uint64_t divideUp(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// Number of bytes that pass each shared resource: DDR, its ports, and the links. A multicast uses several
// ports and links at once.
struct Ways {
  uint64_t ddrBytes = 0;
  std::array<uint64_t, maxPorts> portBytes{};
  std::array<uint64_t, maxLinks> linkBytes{};

  void add(const TransferPhase &phase) {
    if (phase.ddrPorts != 0)
      ddrBytes += phase.ddrBytes;
    for (uint32_t rest = phase.ddrPorts; rest != 0; rest &= rest - 1)
      portBytes[static_cast<size_t>(std::countr_zero(rest))] += phase.ddrBytes;
    for (const Link &link : phase.links)
      linkBytes[link.id()] += phase.networkBytes;
  }
  uint64_t ddrCycles(const Machine &machine) const {
    return divideUp(ddrBytes * 1000, machine.ddr.totalBytesPer1000Cycles);
  }
  uint64_t portCycles(const Machine &machine) const {
    return divideUp(*std::ranges::max_element(portBytes), machine.ddr.portBytesPerCycle);
  }
  uint64_t linkCycles(const Machine &machine) const {
    return divideUp(*std::ranges::max_element(linkBytes), machine.network.linkBytesPerCycle);
  }
  uint64_t cycles(const Machine &machine) const {
    return std::max({ddrCycles(machine), portCycles(machine), linkCycles(machine)});
  }
};

void addTransfer(const Instruction &instruction, const Machine &machine, unsigned tile, Ways &ways) {
  std::visit(
      [&](const auto &typed) {
        if constexpr (requires { transferOf(typed, machine, tile); }) {
          const Transfer transfer = transferOf(typed, machine, tile);
          ways.add(transfer.read);
          ways.add(transfer.write);
        }
      },
      instruction);
}

// Peak rate of a tile: the number of multiplications per cycle for the element type of a convolution or
// matrix product.
uint64_t peakOf(const Instruction &product, const Machine &machine) {
  const PodRate &rate = rateOf(*multipliedType(product), machine.pod);
  return uint64_t{1} * rate.positions * rate.outputs * rate.k;
}

struct PrimitiveSums {
  std::array<uint64_t, maxTiles> cycles{}; // by tile
  Ways ways;
  double peakCycles = 0;
};

} // namespace

Primitive primitiveOf(const Instruction &instruction) {
  const auto inDdr = [](const Stream &stream) { return stream.space == Space::ddr; };
  if (const auto *load = std::get_if<Load>(&instruction))
    return inDdr(load->source) ? Primitive::load : Primitive::exchange;
  if (const auto *multicast = std::get_if<Multicast>(&instruction))
    return inDdr(multicast->source) ? Primitive::broadcast : Primitive::exchange;
  if (const auto *store = std::get_if<Store>(&instruction))
    return inDdr(store->destination) ? Primitive::store : Primitive::exchange;
  if (std::holds_alternative<Gather>(instruction))
    return Primitive::gather;
  if (const auto *matmul = std::get_if<Matmul>(&instruction))
    return matmul->mapping == Mapping::lamm    ? Primitive::lamm
           : matmul->mapping == Mapping::samm1 ? Primitive::samm1
                                               : Primitive::samm2;
  if (const auto *conv = std::get_if<Conv>(&instruction))
    return conv->groups > 1 ? Primitive::groupedConv : Primitive::directConv;
  const auto &names = EnumNames<Primitive>::values;
  const auto name = std::ranges::find(names, mnemonicOf(instruction));
  assert(name != names.end() && "the compiler has no primitive for this instruction");
  return static_cast<Primitive>(name - names.begin());
}

LayerDemand demandOf(const TaskList &tasks, const Machine &machine, unsigned tiles) {
  LayerDemand demand;
  Ways ways;
  std::vector<PrimitiveSums> sums(numPrimitives);
  std::array<std::array<uint64_t, maxTiles>, numEngines> engines{};
  for (const Task &task : tasks) {
    if (isControl(task.instruction))
      continue;
    const auto primitive = static_cast<size_t>(primitiveOf(task.instruction));
    const uint64_t cycles = latencyCycles(task.instruction, machine, task.tile);
    engines[static_cast<size_t>(engineOf(task.instruction))][task.tile] += cycles;
    PrimitiveSums &sum = sums[primitive];
    sum.cycles[task.tile] += cycles;
    addTransfer(task.instruction, machine, task.tile, sum.ways);
    addTransfer(task.instruction, machine, task.tile, ways);
    demand.traffic += trafficOf(task.instruction, machine, task.tile);
    ++demand.primitives[primitive].instructions;
    if (const uint64_t macs = macsOf(task.instruction)) {
      demand.macs += macs;
      demand.primitives[primitive].macs += macs;
      sum.peakCycles +=
          static_cast<double>(macs) / static_cast<double>(peakOf(task.instruction, machine) * tiles);
    }
  }
  double peakCycles = 0;
  for (size_t i = 0; i < numPrimitives; ++i) {
    PrimitiveDemand &primitive = demand.primitives[i];
    primitive.cycles = std::max(std::ranges::max(sums[i].cycles), sums[i].ways.cycles(machine));
    primitive.leastCycles =
        std::max(static_cast<uint64_t>(sums[i].peakCycles), sums[i].ways.ddrCycles(machine));
    peakCycles += sums[i].peakCycles;
  }
  for (size_t i = 0; i < numEngines; ++i)
    demand.engineCycles[i] = std::ranges::max(engines[i]);
  demand.peakCycles = static_cast<uint64_t>(peakCycles);
  demand.ddrCycles = ways.ddrCycles(machine);
  demand.portCycles = ways.portCycles(machine);
  demand.linkCycles = ways.linkCycles(machine);
  return demand;
}

} // namespace tilerig::compiler
