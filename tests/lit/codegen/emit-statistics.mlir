// RUN: smp-opt %s "--smp-emit-kernels=level=v3" --canonicalize --cse | FileCheck %s

// A tile is a block of one of the values, which is found in a table: their
// first tiles, elements and buffers. What is done with it is a function. The
// first eighth of a block is summed, then all of it in one walk; where that
// does not suffice, all again in f64, in two.
// CHECK: func.func private @k0_v3() attributes {smp.body = @statistics.f32, smp.grid = array<i64: 4, 1, 1>,
// CHECK-SAME{LITERAL}: smp.sources = dense<[[0, 7, 0, 2], [1, 20000, 1, 3]]> : tensor<2x4xi64>
// CHECK-LABEL: func.func private @statistics.f32(
// CHECK: arith.minui %{{.*}}, %c1024
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.select
// CHECK: fmuladd({{.*}}) : (vector<8xf32>
// CHECK: scf.if
// CHECK: scf.for
// CHECK: fmuladd({{.*}}) : (vector<8xf64>
smp.stage @s(%a: tensor<7xf32>, %b: tensor<20000xf32>) -> (tensor<1x10xf64>, tensor<3x10xf64>) attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %0:2 = smp.group whole(%a, %b) : (tensor<7xf32>, tensor<20000xf32>) -> (tensor<1x10xf64>, tensor<3x10xf64>) {
  ^bb0(%x: tensor<7xf32>, %y: tensor<20000xf32>):
    %1 = smp.statistics %x : (tensor<7xf32>) -> tensor<1x10xf64>
    %2 = smp.statistics %y : (tensor<20000xf32>) -> tensor<3x10xf64>
    smp.return %1, %2 : tensor<1x10xf64>, tensor<3x10xf64>
  }
  smp.return %0#0, %0#1 : tensor<1x10xf64>, tensor<3x10xf64>
}
