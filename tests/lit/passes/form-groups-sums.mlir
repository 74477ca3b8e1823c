// A gradient is added to its sum where it is made, so that it does not wait in
// memory for the others.
// RUN: smp-opt %s --smp-form-groups | FileCheck %s

smp.variable @first accumulator : tensor<2x4xf32> = #smp.splat<0.0>
smp.variable @second accumulator : tensor<2x4xf32> = #smp.splat<0.0>
// CHECK-LABEL: smp.entry @train
smp.entry @train(%x: tensor<8x4x2xf32> {smp.name = "x"}) -> ()
    attributes {smp.microbatches = 2 : i64} {
  // CHECK: smp.reduce
  // CHECK: smp.assign @first
  // CHECK: smp.reduce
  // CHECK: smp.assign @second
  %0 = smp.reduce sum %x {dimensions = array<i64: 0>, smp.placement = #smp.placement<0, solver>, smp.unit = #smp.unit<backward_weight>}
     : (tensor<8x4x2xf32>) -> tensor<4x2xf32>
  %1 = smp.reduce max %x {dimensions = array<i64: 0>, smp.placement = #smp.placement<0, solver>, smp.unit = #smp.unit<backward_weight>}
     : (tensor<8x4x2xf32>) -> tensor<4x2xf32>
  %t0 = smp.transpose %0 {permutation = array<i64: 1, 0>, smp.placement = #smp.placement<0, solver>, smp.unit = #smp.unit<backward_weight>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %t1 = smp.transpose %1 {permutation = array<i64: 1, 0>, smp.placement = #smp.placement<0, solver>, smp.unit = #smp.unit<backward_weight>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %2 = smp.read @first : tensor<2x4xf32> {smp.placement = #smp.placement<0, solver>, smp.unit = #smp.unit<backward_weight>}
  %3 = smp.add %2, %t0 {smp.placement = #smp.placement<0, solver>, smp.unit = #smp.unit<backward_weight>} : tensor<2x4xf32>
  smp.assign @first, %3 : tensor<2x4xf32> {smp.placement = #smp.placement<0, solver>, smp.unit = #smp.unit<backward_weight>}
  %4 = smp.read @second : tensor<2x4xf32> {smp.placement = #smp.placement<0, solver>, smp.unit = #smp.unit<backward_weight>}
  %5 = smp.add %4, %t1 {smp.placement = #smp.placement<0, solver>, smp.unit = #smp.unit<backward_weight>} : tensor<2x4xf32>
  smp.assign @second, %5 : tensor<2x4xf32> {smp.placement = #smp.placement<0, solver>, smp.unit = #smp.unit<backward_weight>}
  smp.return
}
