// RUN: smp-opt %s --smp-materialize-results --split-input-file | FileCheck %s

// An input, a constant and what leaves twice are copied; what a group makes for
// one result alone is not.
// CHECK-LABEL: smp.stage @copies
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[C:.*]] = smp.constant
// CHECK: %[[A:.*]] = smp.group loop(%[[X]])
// CHECK: smp.exp
// CHECK: %[[TWICE:.*]] = smp.group loop(%[[A]])
// CHECK: smp.reshape
// CHECK: %[[INPUT:.*]] = smp.group loop(%[[X]])
// CHECK: smp.reshape
// CHECK: %[[CONSTANT:.*]] = smp.group loop(%[[C]])
// CHECK: smp.return %[[A]], %[[TWICE]], %[[INPUT]], %[[CONSTANT]]
smp.stage @copies(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %c = smp.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %a = smp.group loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%0: tensor<4xf32>):
    %1 = smp.exp %0 : tensor<4xf32>
    smp.return %1 : tensor<4xf32>
  }
  smp.return %a, %a, %x, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}

// -----

// A reshape is another name for what its group writes.
// CHECK-LABEL: smp.stage @reshaped
// CHECK: %[[A:.*]] = smp.group loop
// CHECK: %[[R:.*]] = smp.reshape %[[A]]
// CHECK-NEXT: smp.return %[[R]]
smp.stage @reshaped(%x: tensor<4xf32>) -> tensor<2x2xf32> attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %a = smp.group loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%0: tensor<4xf32>):
    %1 = smp.exp %0 : tensor<4xf32>
    smp.return %1 : tensor<4xf32>
  }
  %r = smp.reshape %a : tensor<4xf32> to tensor<2x2xf32>
  smp.return %r : tensor<2x2xf32>
}

// -----

smp.variable @w state : tensor<4xf32> = #smp.splat<0.0>
smp.variable @v state : tensor<4xf32> = #smp.splat<0.0>

// A variable that a group reads element by element is written where it lies.
// CHECK-LABEL: smp.stage @in_place
// CHECK: %[[W:.*]] = smp.read @w
// CHECK-NEXT: %[[NEW:.*]] = smp.group loop(%[[W]], %{{.*}}) {smp.in_place = array<i64: 0, 0>}
// CHECK-NOT: smp.group
// CHECK: smp.assign @w, %[[NEW]]
smp.stage @in_place(%x: tensor<4xf32>) attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %w = smp.read @w : tensor<4xf32>
  %new = smp.group loop(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%0: tensor<4xf32>, %1: tensor<4xf32>):
    %2 = smp.add %0, %1 : tensor<4xf32>
    smp.return %2 : tensor<4xf32>
  }
  smp.assign @w, %new : tensor<4xf32>
  smp.return
}

// Not so one that is needed after that, or that another element follows from.
// CHECK-LABEL: smp.stage @needed
// CHECK: %[[W:.*]] = smp.read @w
// CHECK: %[[NEW:.*]] = smp.group loop(%[[W]])
// CHECK: smp.group loop(%[[W]])
// CHECK: smp.exp
// CHECK: %[[LATE:.*]] = smp.group loop(%[[NEW]])
// CHECK: smp.assign @w, %[[LATE]]
smp.stage @needed() -> tensor<4xf32> attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %w = smp.read @w : tensor<4xf32>
  %new = smp.group loop(%w) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%0: tensor<4xf32>):
    %1 = smp.neg %0 : tensor<4xf32>
    smp.return %1 : tensor<4xf32>
  }
  %y = smp.group loop(%w) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%0: tensor<4xf32>):
    %1 = smp.exp %0 : tensor<4xf32>
    smp.return %1 : tensor<4xf32>
  }
  smp.assign @w, %new : tensor<4xf32>
  smp.return %y : tensor<4xf32>
}

// CHECK-LABEL: smp.stage @reversed
// CHECK: %[[NEW:.*]] = smp.group loop
// CHECK: smp.reverse
// CHECK: %[[LATE:.*]] = smp.group loop(%[[NEW]])
// CHECK: smp.assign @w, %[[LATE]]
smp.stage @reversed() attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %w = smp.read @w : tensor<4xf32>
  %new = smp.group loop(%w) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%0: tensor<4xf32>):
    %1 = smp.reverse %0 {dimensions = array<i64: 0>} : tensor<4xf32>
    smp.return %1 : tensor<4xf32>
  }
  smp.assign @w, %new : tensor<4xf32>
  smp.return
}

// Two variables change places: both old values are saved before.
// CHECK-LABEL: smp.stage @swap
// CHECK: %[[W:.*]] = smp.read @w
// CHECK: %[[OLDW:.*]] = smp.group loop(%[[W]])
// CHECK: %[[V:.*]] = smp.read @v
// CHECK: %[[OLDV:.*]] = smp.group loop(%[[V]])
// CHECK-DAG: smp.assign @w, %{{.*}}
// CHECK-DAG: smp.assign @v, %{{.*}}
// CHECK-NOT: smp.assign @{{.}}, %[[V]]
smp.stage @swap() attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %w = smp.read @w : tensor<4xf32>
  %v = smp.read @v : tensor<4xf32>
  smp.assign @w, %v : tensor<4xf32>
  smp.assign @v, %w : tensor<4xf32>
  smp.return
}

// A result that is a variable's old value is saved before it is written.
// CHECK-LABEL: smp.stage @old
// CHECK: %[[W:.*]] = smp.read @w
// CHECK-NEXT: %[[OLD:.*]] = smp.group loop(%[[W]])
// CHECK: smp.return %[[OLD]]
smp.stage @old(%x: tensor<4xf32>) -> tensor<4xf32> attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %w = smp.read @w : tensor<4xf32>
  %new = smp.group loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%0: tensor<4xf32>):
    %1 = smp.exp %0 : tensor<4xf32>
    smp.return %1 : tensor<4xf32>
  }
  smp.assign @w, %new : tensor<4xf32>
  smp.return %w : tensor<4xf32>
}

// A read is of the old value wherever the assign stands: the copy comes last.
// CHECK-LABEL: smp.stage @early
// CHECK: %[[OLD:.*]] = smp.read @w
// CHECK: %[[NEW:.*]] = smp.group loop(%{{.*}})
// CHECK: smp.neg
// CHECK: smp.group loop(%[[OLD]])
// CHECK: smp.exp
// CHECK: %[[LATE:.*]] = smp.group loop(%[[NEW]])
// CHECK: smp.assign @w, %[[LATE]]
// CHECK-NEXT: smp.return
smp.stage @early(%x: tensor<4xf32>) -> tensor<4xf32> attributes {partition = 0 : i64} {
  %w = smp.read @w : tensor<4xf32>
  %g = smp.group loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%0: tensor<4xf32>):
    %1 = smp.neg %0 : tensor<4xf32>
    smp.return %1 : tensor<4xf32>
  }
  smp.assign @w, %g : tensor<4xf32>
  %h = smp.group loop(%w) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%0: tensor<4xf32>):
    %1 = smp.exp %0 : tensor<4xf32>
    smp.return %1 : tensor<4xf32>
  }
  smp.return %h : tensor<4xf32>
}

// -----

smp.variable @w state : tensor<16384xf32> = #smp.splat<0.0>

// Statistics of what is read, which the writer takes first, keep no variable
// from being written where it lies.
// CHECK-LABEL: smp.stage @watched
// CHECK: %[[NEW:.*]]:2 = smp.group loop(%{{.*}}) {smp.in_place = array<i64: 0, 0>}
// CHECK: smp.assign @w, %[[NEW]]#0
smp.stage @watched() -> tensor<2x10xf64> attributes {partition = 0 : i64, unit = #smp.unit<update>} {
  %w = smp.read @w : tensor<16384xf32>
  %new:2 = smp.group loop(%w) : (tensor<16384xf32>) -> (tensor<16384xf32>, tensor<2x10xf64>) {
  ^bb0(%0: tensor<16384xf32>):
    %1 = smp.exp %0 : tensor<16384xf32>
    %2 = smp.statistics %0 : (tensor<16384xf32>) -> tensor<2x10xf64>
    smp.return %1, %2 : tensor<16384xf32>, tensor<2x10xf64>
  }
  smp.assign @w, %new#0 : tensor<16384xf32>
  smp.return %new#1 : tensor<2x10xf64>
}
