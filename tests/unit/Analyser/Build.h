// Builders of instructions and programs in one line each, for tests of the analyser.
//
// All instructions move bytes (u8) in dense runs unless stated otherwise; addresses and counts are in bytes.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig::test {

using Code = std::vector<Instruction>;

inline Stream run(Space space, uint64_t base, uint32_t count, unsigned tile = 0,
                  ElementType type = ElementType::u8) {
  const uint32_t size = sizeBytes(type);
  return {.space = space,
          .type = type,
          .tile = static_cast<uint8_t>(tile),
          .base = base,
          .dims = {{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {count, count > 1 ? size : 0}}}};
}
inline Stream ocm(uint64_t base, uint32_t count, ElementType type = ElementType::u8) {
  return run(Space::ocm, base, count, 0, type);
}
inline Stream ddr(uint64_t base, uint32_t count, ElementType type = ElementType::u8) {
  return run(Space::ddr, base, count, 0, type);
}
inline Stream remote(unsigned tile, uint64_t base, uint32_t count) {
  return run(Space::remote, base, count, tile);
}

inline Instruction load(const Stream &from, const Stream &to) {
  return Load{.source = from, .destination = to};
}
inline Instruction store(const Stream &from, const Stream &to) {
  return Store{.source = from, .destination = to};
}
inline Instruction copy(const Stream &from, const Stream &to) { return Copy{.input = from, .output = to}; }
inline Instruction fill(const Stream &to, uint32_t value = 0) { return Fill{.value = value, .output = to}; }
inline Instruction multicast(uint64_t tiles, const Stream &from, const Stream &to) {
  return Multicast{.tiles = tiles, .source = from, .destination = to};
}
inline Instruction sync(Engine engine, Engine on, unsigned pending = 0) {
  return Sync{.engine = engine, .on = on, .pending = static_cast<uint8_t>(pending)};
}
inline Instruction signal(Engine engine, unsigned tile, unsigned semaphore, uint32_t amount = 1) {
  return Signal{.engine = engine,
                .tile = static_cast<uint8_t>(tile),
                .semaphore = static_cast<uint8_t>(semaphore),
                .amount = amount};
}
inline Instruction wait(Engine engine, unsigned semaphore, uint32_t value = 1) {
  return Wait{.engine = engine, .semaphore = static_cast<uint8_t>(semaphore), .value = value};
}
inline Instruction barrier(uint64_t tiles) { return GroupBarrier{.tiles = tiles}; }

// Appends a stage to the program and a halt to the code of every tile.
inline void addStage(Program &program, std::vector<Code> tiles, Phase phase = Phase::inference) {
  for (Code &code : tiles)
    code.push_back(Halt{});
  program.tiles = static_cast<unsigned>(tiles.size());
  program.stages.push_back(
      {"s" + std::to_string(program.stages.size()), phase, DeviceStage{std::move(tiles)}});
}
inline Program programOf(std::vector<Code> tiles, uint32_t queueDepth = 8) {
  static const Machine tiny = *loadMachine("tiny");
  Program program;
  program.machine = tiny;
  program.machine.tile.queueDepth = queueDepth;
  addStage(program, std::move(tiles));
  return program;
}

inline proto::Tensor &addTensor(Program &program, const char *name, proto::TensorRole role, uint64_t address,
                                int64_t size, const char *type = "uint8", const char *stored = "u8") {
  proto::Tensor &tensor = *program.metadata.add_tensors();
  tensor.set_name(name);
  tensor.set_dtype(type);
  tensor.add_shape(size);
  tensor.set_role(role);
  tensor.set_stored_type(stored);
  proto::Piece &piece = *tensor.add_pieces();
  piece.set_ddr(true);
  piece.set_address(address);
  piece.add_begin(0);
  piece.add_extent(size);
  piece.add_stride(1);
  return tensor;
}
inline void addConstant(Program &program, uint64_t address, std::vector<uint8_t> bytes) {
  auto owner = std::make_shared<std::vector<uint8_t>>(std::move(bytes));
  program.constants.push_back({address, std::as_bytes(std::span(*owner)), owner});
}
inline void addConstant(Program &program, uint64_t address, const std::vector<int32_t> &numbers) {
  std::vector<uint8_t> bytes;
  for (int32_t number : numbers)
    for (int i = 0; i < 4; ++i)
      bytes.push_back(static_cast<uint8_t>(static_cast<uint32_t>(number) >> (8 * i)));
  addConstant(program, address, std::move(bytes));
}

} // namespace tilerig::test
