// Calibration method `average`: a range is the mean of the samples' ranges, widened towards the last layer.
// RUN: split-file %s %t
// RUN: tilerig-compile %t/model.mlir --from layer --precision %t/plain.json --calibration-table %t/plain.table.json
// RUN: FileCheck %s --check-prefix=PLAIN < %t/plain.table.json
// RUN: tilerig-compile %t/model.mlir --from layer --precision %t/ramp.json --calibration-table %t/ramp.table.json
// RUN: FileCheck %s --check-prefix=RAMP < %t/ramp.table.json
// RUN: tilerig-compile %t/model.mlir --from layer --precision %t/ramp.json --calibration %t/ramp.table.json --emit layer -o %t/layers.mlir

// The calibration samples are uniform in [-1, 1].
// PLAIN: "x": {
// PLAIN-NEXT: "type": "int8",
// PLAIN-NEXT: "method": "average",
// PLAIN-NEXT: "min": -0.99
// PLAIN-NEXT: "max": 0.99
// PLAIN: "y": {
// PLAIN: "max": 0.99
// PLAIN: "z": {
// PLAIN: "max": 0.99

// y is the result of the first layer, z of the third and last one.
// RAMP: "x": {
// RAMP: "method": "average:3",
// RAMP: "max": 0.99
// RAMP: "y": {
// RAMP: "max": 0.99
// RAMP: "yz": {
// RAMP: "max": 1.99
// RAMP: "z": {
// RAMP: "max": 2.99

// RUN: not tilerig-compile %t/model.mlir --from layer --precision %t/wrong.json --report 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: wrong.json: method: '0.5' is not a valid range factor for the last layer; write a number from 1 to 16, as in average:2

//--- model.mlir
func.func @main(%x: tensor<1x4096xf32> {graph.name = "x"}) -> (tensor<1x4096xf32> {graph.name = "z"}) {
  %y = layer.activate by <relu> %x : (tensor<1x4096xf32>) -> tensor<1x4096xf32> loc("first"("y"))
  %b = layer.activate by <leaky_relu 5.000000e-01> %y : (tensor<1x4096xf32>) -> tensor<1x4096xf32> loc("second"("yz"))
  %z = layer.activate by <relu> %b : (tensor<1x4096xf32>) -> tensor<1x4096xf32> loc("third"("z"))
  return %z : tensor<1x4096xf32>
}
//--- plain.json
{"default": "int8", "method": "average"}
//--- ramp.json
{"default": "int8", "method": "average:3"}
//--- wrong.json
{"default": "int8", "method": "average:0.5"}
