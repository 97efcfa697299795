// Simulates 8-bit quantisation of a float model in floats: every stored value (StoredValues.h) is rounded to
// one of 256 values (ByteGrid.h) when it is computed, weights are rounded once, and sums and functions stay
// in fp32. Biases and other constants are not rounded, nor is anything inside the graphs of If, Loop and
// Scan.
//
// The simulation shares no code with the compiler and knows neither its layers nor its scales. It predicts
// the accuracy of 8 bits, not the exact bits; those are defined by the model that the compiler emits.
#pragma once

#include "reference/Run/Interpreter.h"
#include "reference/Simulate/ByteGrid.h"

#include <span>

namespace tilerig::reference {

// How value ranges are computed from calibration samples.
struct Calibration {
  // whether a range is computed from the means of the samples' minima and maxima, not from their extremes
  bool averages = false;
  // Only if `averages` is set: the range of a value is multiplied by a factor that rises linearly with the
  // depth of the value in the graph, from 1 at the first operators to `ramp` at the last.
  double ramp = 1;
};
// Parses min-max, average or average:RAMP; an error for anything else.
Result<Calibration> parseCalibration(const std::string &text);

class Int8Simulation {
public:
  // Runs the model on the samples in fp32 to find the range of each stored value. An element that is NaN or
  // infinite is an error that names the value.
  static Result<Int8Simulation> calibrate(const Model &model, std::span<const NamedTensors> samples,
                                          const Calibration &calibration, const RunOptions &options,
                                          Threads &threads);

  // Rounds the weights of the model, and sets up the options so that a run rounds the values it stores. The
  // simulation must outlive the run.
  void applyTo(Model &model, RunOptions &options) const;
  size_t numStored() const { return grids.size(); }
  size_t numWeights() const { return weights.size(); }

private:
  // the 256 values to which each stored tensor is rounded, by the tensor's name
  std::map<std::string, ByteGrid, std::less<>> grids;
  // axis of output channels of each tensor of weights, by the tensor's name
  std::map<std::string, int, std::less<>> weights;
};

} // namespace tilerig::reference
