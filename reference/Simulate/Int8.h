// A float model as a device with 8-bit memories would compute it, simulated in floats: every stored value
// (StoredValues.h) is rounded to one of 256 (ByteGrid.h) when it comes to be, weights are rounded once, and
// sums and functions stay fp32. What it leaves out: biases and other constants are not rounded, nor is
// anything inside the graphs of If, Loop and Scan.
//
// It shares no code with the compiler and knows neither its layers nor its scales, so that it says what to
// expect of 8 bits, not which bits: those are in the model that the compiler emits.
#pragma once

#include "reference/Run/Interpreter.h"
#include "reference/Simulate/ByteGrid.h"

#include <span>

namespace tilerig::reference {

// How ranges come from samples.
struct Calibration {
  bool averages = false; // the mean of the samples' minima and maxima, not the least and the largest of all
  double ramp = 1; // factor of a range at the last operator, 1 at the first, evenly in between; of averages
};
// min-max, average or average:RAMP. The error has no place.
Result<Calibration> parseCalibration(const std::string &text);

class Int8Simulation {
public:
  // Runs the model on the samples in fp32 to find ranges. Refuses a value that is not finite there, by name.
  static Result<Int8Simulation> calibrate(const Model &model, std::span<const NamedTensors> samples,
                                          const Calibration &calibration, const RunOptions &options,
                                          Threads &threads);

  // Rounds the weights of the model, and has a run with these options round what it stores. The simulation
  // has to outlive the run.
  void applyTo(Model &model, RunOptions &options) const;
  size_t numStored() const { return grids.size(); }
  size_t numWeights() const { return weights.size(); }

private:
  std::map<std::string, ByteGrid, std::less<>> grids; // by the value's name
  std::map<std::string, int, std::less<>> weights;    // with their axis of outputs
};

} // namespace tilerig::reference
