// Checks that a machine's parameters are in range and consistent with each other.

#include "isa/Machine/Machine.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <optional>

namespace tilerig {
namespace {

constexpr uint64_t accumulatorElementBytes = 4;

// The error that a check of a machine description found; nullopt if there is none.
using Problem = std::optional<Error>;

template <class... Parts>
Error problem(std::string field, fmt::format_string<Parts...> description, Parts &&...parts) {
  return invalidInput(std::move(field), fmt::format(description, std::forward<Parts>(parts)...));
}

Problem checkRanges(const Machine &machine) {
  Problem first;
  forEachFigure(machine, [&](const FigurePath &path, const auto &figure, uint64_t value) {
    if (first)
      return;
    if (value < figure.low || value > figure.high)
      first = problem(path.text(), "{} is outside {}..{}", value, figure.low, figure.high);
    else if (figure.powerOfTwo && !std::has_single_bit(value))
      first = problem(path.text(), "{} is not a power of two", value);
  });
  return first;
}

bool isNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.';
}

// A machine's name must not be mistaken for a file name by loadMachine(), which accepts both.
Problem checkName(const std::string &name) {
  if (name.empty() || name.size() > 64 || !std::ranges::all_of(name, isNameCharacter))
    return problem("name", "the name must be 1 to 64 letters, digits, '_', '-' or '.'");
  if (name.ends_with(".json"))
    return problem("name", "the name must not end in .json, or it would be taken for a file");
  return {};
}

Problem checkNetwork(const Network &network) {
  uint64_t blocks = uint64_t{network.routerRows} * network.routerColumns;
  if (blocks == 1 && network.tiles > tilesPerBlock)
    return problem("network.tiles", "{} tiles do not fit into a single block of {} tiles", network.tiles,
                   tilesPerBlock);
  if (blocks > 1 && network.tiles != tilesPerBlock * blocks)
    return problem("network.tiles", "{} x {} blocks have {} tiles, not {}", network.routerRows,
                   network.routerColumns, tilesPerBlock * blocks, network.tiles);
  return {};
}

Problem checkDdr(const Ddr &ddr, const Network &network) {
  if (ddr.sizeBytes % ddr.granuleBytes != 0)
    return problem("ddr.size_bytes", "{} is not a multiple of the DDR granule of {} bytes", ddr.sizeBytes,
                   ddr.granuleBytes);
  uint64_t ports = uint64_t{1000} * ddr.portBytesPerCycle * network.routerRows;
  if (ddr.totalBytesPer1000Cycles > ports)
    return problem("ddr.total_bytes_per_1000_cycles",
                   "{} is more than the {} bytes of all {} DDR ports together", ddr.totalBytesPer1000Cycles,
                   ports, network.routerRows);
  if (network.chunkBytes < ddr.granuleBytes)
    return problem("network.chunk_bytes", "{} is less than the DDR granule of {} bytes", network.chunkBytes,
                   ddr.granuleBytes);
  return {};
}

Problem checkTile(const Tile &tile) {
  uint64_t rows = uint64_t{tile.ocmBanks} * tile.ocmRowBytes;
  if (tile.ocmBytes % rows != 0)
    return problem("tile.ocm_bytes",
                   "an OCM of {} bytes is not a whole number of rows of {} bytes in each of {} banks",
                   tile.ocmBytes, tile.ocmRowBytes, tile.ocmBanks);
  if (tile.ocmAccessBytes > tile.ocmRowBytes)
    return problem("tile.ocm_access_bytes", "{} is more than an OCM row of {} bytes", tile.ocmAccessBytes,
                   tile.ocmRowBytes);
  return {};
}

// In each cycle a stream moves a whole number of accesses of the OCM (on-chip memory), and at most one row of
// every bank of it.
Problem checkStream(const char *field, uint64_t bytesPerCycle, const Tile &tile) {
  if (bytesPerCycle % tile.ocmAccessBytes != 0)
    return problem(field, "{} is not a multiple of the OCM access of {} bytes", bytesPerCycle,
                   tile.ocmAccessBytes);
  uint64_t most = uint64_t{tile.ocmBanks} * tile.ocmRowBytes;
  if (bytesPerCycle > most)
    return problem(field, "{} is more than the {} bytes that all OCM banks deliver in a cycle", bytesPerCycle,
                   most);
  return {};
}

// Each of the two operands that the POD (matrix engine) reads in one cycle must fit into half of its operand
// registers, and the results into its accumulators.
Problem checkRate(const char *type, const PodRate &rate, uint64_t elementBytes, const PodFigures &pod) {
  uint64_t side = std::max(rate.positions, rate.outputs);
  uint64_t step = side * rate.k * elementBytes;
  if (2 * step > pod.operandRegisterBytes)
    return problem("pod.operand_register_bytes",
                   "half of {} bytes cannot hold the {} bytes of an operand that one cycle of pod.{} needs",
                   pod.operandRegisterBytes, step, type);
  uint64_t accumulators = uint64_t{rate.positions} * rate.outputs * accumulatorElementBytes;
  if (accumulators > pod.accumulatorBytes)
    return problem("pod.accumulator_bytes",
                   "{} bytes cannot hold the {} bytes of {} x {} accumulators of pod.{}",
                   pod.accumulatorBytes, accumulators, rate.positions, rate.outputs, type);
  return {};
}

Problem findProblem(const Machine &machine) {
  if (auto error = checkName(machine.name))
    return error;
  // The ranges of a machine's parameters are checked first, because other checks divide by parameters.
  if (auto error = checkRanges(machine))
    return error;
  for (auto error :
       {checkNetwork(machine.network), checkDdr(machine.ddr, machine.network), checkTile(machine.tile),
        checkStream("network.tile_port_bytes_per_cycle", machine.network.tilePortBytesPerCycle, machine.tile),
        checkStream("pod.stream_bytes_per_cycle", machine.pod.streamBytesPerCycle, machine.tile),
        checkStream("pe.bytes_per_cycle", machine.pe.bytesPerCycle, machine.tile),
        checkRate("int8", machine.pod.int8, 1, machine.pod),
        checkRate("half", machine.pod.half, 2, machine.pod),
        checkRate("single", machine.pod.single, 4, machine.pod)})
    if (error)
      return error;
  return {};
}

} // namespace

Status verifyMachine(const Machine &machine, const std::string &place) {
  if (auto error = findProblem(machine))
    return place.empty() ? *std::move(error) : error->within(place);
  return success();
}

} // namespace tilerig
