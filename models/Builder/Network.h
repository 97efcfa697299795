// A network as it is described: its ONNX graph, and recipes of the weights that are not in it yet.
//
// Describing costs nothing, whatever the size of the weights: the command lists parameters and MACs from
// descriptions alone. Weights are filled in later (Weights/Fill.h), normalisations calibrated after that
// (Calibration/Calibrate.h).
#pragma once

#include "isa/Tensor/Tensor.h"

#include <onnx/onnx_pb.h>
#include <set>
#include <string>
#include <vector>

namespace tilerig::models {

// How the elements of a weight are drawn.
struct Filling {
  enum class Kind {
    bell,    // nearly normal, of mean `centre` and standard deviation `spread`
    uniform, // between centre - spread and centre + spread
  } kind = Kind::bell;
  double centre = 0, spread = 0; // a spread of zero makes a constant

  static Filling bell(double spread, double centre = 0) { return {Kind::bell, centre, spread}; }
  static Filling uniform(double spread, double centre = 0) { return {Kind::uniform, centre, spread}; }
  static Filling constant(double value) { return {Kind::uniform, value, 0}; }
};

struct WeightRecipe {
  std::string name;
  Shape shape;
  Filling filling;
  // Rows (slices of dimension 0) are scaled by factors drawn between 1 - rowSpread and 1 + rowSpread:
  // channels of trained networks differ in size.
  double rowSpread = 0;
};

struct Network {
  onnx::ModelProto model;
  std::vector<WeightRecipe> weights;  // in the order of their first use
  std::set<std::string> scaffolds;    // normalisations that are folded in any case, once calibrated
  std::set<std::string> measurements; // weights that calibration sets: a normalisation's mean and variance
  int64_t macs = 0;                   // multiplications of convolutions and matrix products
};

int64_t countElements(const Shape &shape);
// What training would have learnt: weights, scales, shifts and biases, as they stand when scaffolds are gone.
int64_t countParameters(const Network &network);

} // namespace tilerig::models
