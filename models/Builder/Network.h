// The description of a network: its ONNX graph, and recipes for the weights that the graph does not contain
// yet.
//
// A description is cheap, whatever the size of the weights: `tilerig zoo --list` gets parameters and MACs
// from descriptions alone. Weights are filled in later (Weights/Fill.h), and normalisations are calibrated
// after that (Calibration/Calibrate.h).
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <onnx/onnx_pb.h>
#include <set>
#include <string>
#include <vector>

namespace tilerig::models {

// The random distribution of the elements of a weight.
struct Filling {
  enum class Kind {
    bell,    // nearly normal distribution with mean `centre` and standard deviation `spread`
    uniform, // uniform distribution between centre - spread and centre + spread
  } kind = Kind::bell;
  double centre = 0, spread = 0; // with a spread of zero, all elements equal the centre

  static Filling bell(double spread, double centre = 0) { return {Kind::bell, centre, spread}; }
  static Filling uniform(double spread, double centre = 0) { return {Kind::uniform, centre, spread}; }
  static Filling constant(double value) { return {Kind::uniform, value, 0}; }
};

struct WeightRecipe {
  std::string name;
  Shape shape;
  Filling filling;
  // Each row (slice of dimension 0) is scaled by a factor drawn between 1 - rowSpread and 1 + rowSpread,
  // because the channels of trained networks differ in magnitude.
  double rowSpread = 0;
};

struct Network {
  onnx::ModelProto model;
  std::vector<WeightRecipe> weights;  // recipes of the weights in the order of their first use
  std::set<std::string> scaffolds;    // normalisations that are always folded after calibration
  std::set<std::string> measurements; // weights set by calibration: mean and variance of each normalisation
  int64_t macs = 0;                   // number of multiplications in convolutions and matrix products
};

int64_t countElements(const Shape &shape);
// Number of trainable parameters (weights, scales, shifts and biases) that remain after the normalisations in
// `scaffolds` have been folded.
int64_t countParameters(const Network &network);

} // namespace tilerig::models
