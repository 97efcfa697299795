#include "emulator/Beats/TransferBeats.h"

#include "emulator/Beats/BeatPlaces.h"
#include "emulator/Beats/RowAccesses.h"

#include <bit>
#include <cstring>

namespace tilerig::emulator {

namespace {

const Stream &destinationOf(const Instruction &instruction) {
  static const Stream none;
  return std::visit(
      []<class T>(const T &typed) -> const Stream & {
        if constexpr (requires { typed.destination; })
          return typed.destination;
        else
          return none;
      },
      instruction);
}

// The slices of a transfer; a gather is split into one slice for each index.
Slices slicesOf(const Instruction &instruction, const Machine &machine) {
  const Stream &destination = destinationOf(instruction);
  if (std::holds_alternative<Gather>(instruction)) {
    const auto rows = std::array<Dimension, 5>{{{1, 0}, {1, 0}, destination.dims[2], {1, 0}, {1, 0}}};
    return {rows, 1, 1};
  }
  return {destination.dims, sizeBytes(destination.type), machine.network.chunkBytes};
}

template <class Which>
void appendThose(const Instruction &part, unsigned tile, AccessList &out, Which which) {
  AccessList all;
  appendAccesses(part, tile, all);
  for (const Access &access : all)
    if (which(access))
      out.push_back(access);
}

} // namespace

TransferBeats::TransferBeats(const Instruction &instruction, unsigned tile, const Machine &machine,
                             bool isDead)
    : instruction(instruction), tile(tile), isDead(isDead), slices(slicesOf(instruction, machine)),
      between(slices.size()) {}

Instruction TransferBeats::part(uint64_t slice) const {
  Instruction result = instruction;
  const Slice box = slices[slice];
  std::visit(
      [&]<class T>(T &typed) {
        if constexpr (std::is_same_v<T, Gather>) {
          typed.indices = fixedAt(typed.indices, 4, box.first[2]);
          typed.destination = fixedAt(typed.destination, 2, box.first[2]);
        } else if constexpr (requires { typed.destination; }) {
          typed.source = sliced(typed.source, box);
          typed.destination = sliced(typed.destination, box);
        }
      },
      result);
  return result;
}

void TransferBeats::appendReads(uint64_t slice, AccessList &out) const {
  if (isDead)
    return;
  const bool isGather = std::holds_alternative<Gather>(instruction);
  appendThose(part(slice), tile, out, [&](const Access &access) {
    return access.kind == AccessKind::read && !(isGather && access.operand == "source");
  });
}

void TransferBeats::appendRowReads(uint64_t slice, Memories &memories, AccessList &out) const {
  const auto *gather = std::get_if<Gather>(&instruction);
  if (!gather || isDead)
    return;
  Gather row = std::get<Gather>(part(slice));
  int32_t index;
  const ByteRange at{row.indices.base, row.indices.base + sizeof index};
  std::memcpy(&index, memories.readable(ocmOf(tile), at), sizeof index);
  const auto count = static_cast<int64_t>(row.source.dims[2].size);
  const int64_t from = index < 0 ? index + count : index;
  if (from < 0 || from >= count)
    return; // the gather's index is out of range; read() reports this fault
  row.source = fixedAt(row.source, 2, static_cast<uint32_t>(from));
  appendThose(row, tile, out, [](const Access &access) { return access.operand == "source"; });
}

void TransferBeats::appendWrites(uint64_t slice, AccessList &out) const {
  appendThose(part(slice), tile, out, [](const Access &access) { return access.kind == AccessKind::write; });
}

std::optional<DataFault> TransferBeats::read(uint64_t slice, Memories &memories, Scratch &scratch) {
  if (isDead)
    return {};
  const Instruction taken = part(slice);
  std::vector<std::byte> &bytes = between[slice];
  const auto run = [&](const Instruction &beatInstruction, std::string_view operand) {
    const auto op = prepareOp(beatInstruction, tile, BeatPlaces(memories, tile, operand, bytes.data()));
    return op->run(0, op->rows(), scratch);
  };
  if (const auto *gather = std::get_if<Gather>(&taken)) {
    bytes.resize(elementBytes(gather->destination));
    auto fault = run(taken, "destination");
    if (fault)
      bytes.clear();
    return fault;
  }
  return std::visit(
      [&]<class T>(const T &typed) -> std::optional<DataFault> {
        if constexpr (requires { typed.source; }) {
          bytes.resize(elementBytes(typed.source));
          return run(Copy{.input = typed.source, .output = typed.source}, "output");
        } else {
          return {};
        }
      },
      taken);
}

bool TransferBeats::write(uint64_t slice, Memories &memories, Scratch &scratch, bool keepsData) {
  std::vector<std::byte> bytes = keepsData ? between[slice] : std::move(between[slice]);
  const Instruction put = part(slice);
  const auto run = [&](const Instruction &beatInstruction, unsigned at, std::string_view operand) {
    const auto op = prepareOp(beatInstruction, at, BeatPlaces(memories, tile, operand, bytes.data()));
    // Writing the data of a transfer cannot cause a fault.
    (void)op->run(0, op->rows(), scratch);
  };
  if (isDead) {
    const Fill zeros{.output = destinationOf(put)};
    const auto *multicast = std::get_if<Multicast>(&put);
    for (uint64_t to = multicast ? multicast->tiles : uint64_t{1} << tile; to != 0; to &= to - 1)
      run(zeros, static_cast<unsigned>(std::countr_zero(to)), {});
    return true;
  }
  if (bytes.empty())
    return false;
  if (const auto *gather = std::get_if<Gather>(&put))
    run(Copy{.input = gather->destination, .output = gather->destination}, tile, "input");
  else
    run(put, tile, "source");
  return true;
}

} // namespace tilerig::emulator
