// What runs per microbatch, what runs once.
// RUN: smp-opt %s --smp-accumulate --split-input-file --verify-roundtrip | FileCheck %s

// The first microbatch begins the sum anew; the mean is made once. What the
// update needs of variables it computes for itself.
module {
// CHECK-DAG: smp.variable @"accumulator/several/0" accumulator : tensor<4xf32> = #smp.splat<0.{{0*}}e+00>
// CHECK-DAG: smp.variable @"accumulator/several/1" accumulator : tensor<4xf32>
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// CHECK-LABEL: smp.entry @several(
// CHECK-SAME: tensor<1xi64> {smp.batch_axis = 0 : i64, smp.is_microbatch, smp.name = "smp.microbatch"}
// CHECK-SAME: smp.microbatches = 4 : i64
smp.entry @several(%x: tensor<4xf32> {smp.name = "x", smp.batch_axis = 0 : i64})
    -> (tensor<4xf32> {smp.name = "mean"}, tensor<4xf32> {smp.name = "sum"})
    attributes {mode = #smp.mode<train>, smp.microbatches = 4 : i64} {
  // CHECK: %[[NUMBER:.*]] = smp.reshape %arg1
  // CHECK: %[[FIRST:.*]] = smp.compare eq %[[NUMBER]], {{.*}}smp.placement = #smp.placement<all
  // CHECK: %[[W:.*]] = smp.read @w : tensor<4xf32>
  // CHECK: %[[E:.*]] = smp.exp %[[W]] : tensor<4xf32>
  // CHECK: %[[COPY:.*]] = smp.exp %{{.*}} {smp.unit = #smp.unit<update>}
  // CHECK: %[[X:.*]] = smp.mul %arg0, %[[E]] : tensor<4xf32>
  %w = smp.read @w : tensor<4xf32>
  %e = smp.exp %w : tensor<4xf32>
  %0 = smp.mul %x, %e : tensor<4xf32>
  // CHECK: %[[OLD:.*]] = smp.read @"accumulator/several/0" : tensor<4xf32> {smp.unit = #smp.unit<forward>}
  // CHECK: %[[ADDED:.*]] = smp.add %[[OLD]], %[[X]]
  // CHECK: %[[CHOICE:.*]] = smp.broadcast %[[FIRST]]
  // CHECK: %[[SUM:.*]] = smp.select %[[CHOICE]], %[[X]], %[[ADDED]]
  // CHECK: smp.assign @"accumulator/several/0", %[[SUM]]
  // CHECK: %[[WHOLE:.*]] = smp.read @"accumulator/several/0" : tensor<4xf32> {smp.unit = #smp.unit<update>}
  // CHECK: %[[PART:.*]] = smp.constant dense<2.5{{0*}}e-01>
  // CHECK: %[[MEAN:.*]] = smp.mul %[[WHOLE]], %[[PART]] {smp.unit = #smp.unit<update>}
  %mean = smp.accumulate %0 {mean} : tensor<4xf32>
  // CHECK: smp.assign @"accumulator/several/1"
  // CHECK: %[[TOTAL:.*]] = smp.read @"accumulator/several/1" : tensor<4xf32> {smp.unit = #smp.unit<update>}
  %sum = smp.accumulate %0 : tensor<4xf32>
  // CHECK: %[[NEW:.*]] = smp.sub %[[COPY]], %[[MEAN]] {smp.unit = #smp.unit<update>}
  // CHECK: smp.assign @w, %[[NEW]] : tensor<4xf32> {smp.unit = #smp.unit<update>}
  %new = smp.sub %e, %mean : tensor<4xf32>
  smp.assign @w, %new : tensor<4xf32>
  // CHECK: smp.return %[[MEAN]], %[[TOTAL]]
  // CHECK-NOT: smp.accumulate
  smp.return %mean, %sum : tensor<4xf32>, tensor<4xf32>
}
}

// -----

// One microbatch is the sum and the mean.
module {
// CHECK-LABEL: smp.entry @one(
// CHECK-NOT: smp.is_microbatch
// CHECK-SAME: smp.microbatches = 1 : i64
smp.entry @one(%x: tensor<4xf32> {smp.name = "x", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "mean"})
    attributes {mode = #smp.mode<train>} {
  // CHECK: smp.assign @"accumulator/one/0", %arg0
  // CHECK: %[[WHOLE:.*]] = smp.read @"accumulator/one/0"
  // CHECK: smp.return %[[WHOLE]]
  %mean = smp.accumulate %x {mean} : tensor<4xf32>
  smp.return %mean : tensor<4xf32>
}
}

// -----

// The sum is formed in the unit, and on the partition, of what is summed.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// CHECK-LABEL: smp.entry @placed(
smp.entry @placed(%x: tensor<4xf32> {smp.name = "x", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "y"})
    attributes {mode = #smp.mode<train>, smp.microbatches = 2 : i64} {
  // CHECK: %[[SUM:.*]] = smp.select {{.*}} {smp.origin = 7 : i64, smp.placement = #smp.placement<1, propagated>, smp.unit = #smp.unit<backward_weight>}
  // CHECK: smp.assign @"accumulator/placed/0", %[[SUM]] : tensor<4xf32> {smp.origin = 7 : i64, smp.placement = #smp.placement<1, propagated>, smp.unit = #smp.unit<backward_weight>}
  // CHECK: smp.read @"accumulator/placed/0" : tensor<4xf32> {smp.origin = 7 : i64, smp.placement = #smp.placement<1, propagated>, smp.unit = #smp.unit<update>}
  %0 = smp.neg %x {smp.unit = #smp.unit<backward_weight>} : tensor<4xf32>
  %1 = smp.accumulate %0 {smp.origin = 7 : i64, smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  smp.assign @w, %1 : tensor<4xf32>
  smp.return %0 : tensor<4xf32>
}
}

// -----

// A state changes with each microbatch; what was never assigned needs no step.
module {
smp.variable @running state : tensor<4xf32> = #smp.splat<0.0>
// CHECK-LABEL: smp.entry @state(
// CHECK-NOT: smp.microbatches
smp.entry @state(%x: tensor<4xf32> {smp.name = "x", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "y"})
    attributes {mode = #smp.mode<train>, smp.microbatches = 4 : i64} {
  // CHECK: smp.assign @running, %{{.*}} : tensor<4xf32>{{$}}
  %0 = smp.read @running : tensor<4xf32>
  %1 = smp.add %0, %x : tensor<4xf32>
  smp.assign @running, %1 : tensor<4xf32>
  smp.return %1 : tensor<4xf32>
}
}

// -----

// The number of the microbatch is an argument; inputs without a batch axis are
// those of the whole step.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// CHECK-LABEL: smp.entry @numbered(
// CHECK-SAME: smp.is_microbatch
smp.entry @numbered(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<1xi64> {smp.name = "n"})
    attributes {mode = #smp.mode<train>, smp.microbatches = 2 : i64} {
  // CHECK: smp.assign @w, %arg0 : tensor<4xf32> {smp.unit = #smp.unit<update>}
  // CHECK: smp.return %arg1
  %n = smp.microbatch : tensor<1xi64>
  smp.assign @w, %x : tensor<4xf32>
  smp.return %n : tensor<1xi64>
}
}
