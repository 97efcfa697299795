// Steps of a matrix product whose factors both come from DDR: in which order a tile computes its share of the
// result.
//
// Such a product is limited by loads and stores. The share is split into boxes along one axis; the last boxes
// are smaller, so that little is left to store at the end. The depth (the summed axis, K) is split, so that
// the first sums begin after a small part of both factors has arrived. If all boxes read the same parts of
// one factor, as many of these parts as fit stay in the OCM (on-chip memory). The fastest combination is
// found by simulating DDR, which serves one load or store at a time, and the POD (matrix engine).
#pragma once

#include "compiler/Planning/Strategy/EngineMapping.h"
#include "compiler/Tile/Ops/DeviceOp.h"
#include "isa/Machine/Machine.h"

#include <array>

namespace tilerig::compiler {

struct ProductSteps {
  uint64_t axis = 0; // axis along which the tile's share of the result is split
  int64_t parts = 1; // number of equal boxes into which the share is split along the axis
  // The last of these boxes is split into halves, the last half again, and so on, this many times.
  int64_t halvings = 0;
  int64_t depthParts = 1;
  // The first part of the depth is split into halves, the first half again, and so on, this many times.
  int64_t depthHalvings = 0;
  std::array<bool, 2> comesWhole = {}; // for each factor, whether it is loaded for the whole depth at once
  // For the factor of which all boxes read the same parts: how many of these parts stay in the OCM.
  int64_t kept = 0;
  uint32_t timeStepsAhead = 1; // how many time steps before its use each part of a factor is loaded
  bool operator==(const ProductSteps &) const = default;
};

// Splits the depth of a sum into about `parts` ranges. If the depth is a multiple of 32, which suits
// the POD (matrix engine) and the OCM, so is the length of every range. Returns an empty list if the sum is
// not split.
std::vector<Range> depthsOf(int64_t depth, int64_t parts);
std::vector<Range> depthsOf(const ProductSteps &steps, int64_t depth);
// The boxes that the steps of a product compute one after another. Together they are the share of a tile (its
// part of the result).
std::vector<Box> boxesOf(const ProductSteps &steps, const Box &share, const DeviceOp &deviceOp);

struct ProductOutlook {
  ProductSteps steps;
  EngineMapping engineMapping;
  // cycles from the first load until the last sum is computed, or until the last store has ended if there are
  // stores
  uint64_t cycles = 0;
};

// Simulates the candidate steps, with each of the given mappings to the engines, and returns the fastest;
// nullopt if no candidate fits the OCM (on-chip memory). `shares` has one part of the result for each tile.
// `isStored`: the result goes to DDR and is not kept in the OCM.
std::optional<ProductOutlook> chooseSteps(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                                          const std::vector<Box> &shares,
                                          std::span<const EngineMapping> engineMappings, bool isStored,
                                          const Machine &machine);

// Cycles of the instructions that compute a box of a product's result over one part of the depth (K). If the
// range `depth` is empty, over the whole depth.
uint64_t cyclesOfPart(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors, const Box &box,
                      Range depth, const EngineMapping &engineMapping, const Machine &machine);

// A part that several tiles read is loaded in pieces of about this many bytes. DDR serves all requests
// round-robin, so pieces of one size arrive in the order in which they are requested.
inline constexpr uint64_t bytesOfPiece = 16 << 10;

// For a matrix product, the bytes of both factors that pass the busiest DDR port. A port serves the tiles of
// one row of routers. If several of these tiles read the same part of a factor, the part passes the port
// once.
uint64_t bytesAtBusiestPort(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                            const std::vector<Box> &shares, const Machine &machine);

} // namespace tilerig::compiler
