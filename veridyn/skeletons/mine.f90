! mine: a solver in Fortran, to put yours in its place. It runs as it is:
!
!     cc -x c -DVERIDYN_EXPORT -O2 -c veridyn.h -o client.o
!     gfortran -O2 -o mine mine.f90 client.o -lm
!     veridyn doctor --solver cmd:./mine
!     veridyn run --quick --solver cmd:./mine
!
! Newmark's average acceleration, Newton's method in every step. veridyn.h lies beside it and reads the problems.
module newmark
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(c) :: stop_type
    type(c_ptr) :: normal
    real(c_double) :: gap, stiffness, damping, offset
    type(c_ptr) :: name
  end type

  type, bind(c) :: problem_type
    integer(c_int) :: n, outputs, stops, loads
    real(c_double) :: start, end
    type(c_ptr) :: mass, damping, stiffness, displacement, velocity, times, stop, json, settings, load
  end type

  type, bind(c) :: response_type
    type(c_ptr) :: displacement, velocity, normal_force
    integer(c_long) :: steps
    type(c_ptr) :: not_applicable, error
  end type

  interface
    integer(c_int) function veridyn_serve(introduction, solve) bind(c)
      import
      character(kind=c_char), intent(in) :: introduction(*)
      type(c_funptr), value :: solve
    end function
    real(c_double) function veridyn_setting(problem, name, otherwise) bind(c)
      import
      type(problem_type), intent(in) :: problem
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: otherwise
    end function
    real(c_double) function veridyn_fastest(problem) bind(c)
      import
      type(problem_type), intent(in) :: problem
    end function
    subroutine veridyn_add_loads(problem, t, force) bind(c)
      import
      type(problem_type), intent(in) :: problem
      real(c_double), value :: t
      real(c_double), intent(inout) :: force(*)
    end subroutine
    subroutine veridyn_solve_linear(n, a, b) bind(c)
      import
      integer(c_int), value :: n
      real(c_double), intent(inout) :: a(*), b(*)
    end subroutine
  end interface

  real(c_double), pointer :: mass(:, :), damping(:, :), stiffness(:, :)  ! transposed: rows of C are columns here
  type(stop_type), pointer :: stops(:)

contains

  real(c_double) function push(k, x)  ! N, never negative
    integer, intent(in) :: k
    real(c_double), intent(in) :: x(:)
    real(c_double), pointer :: normal(:)
    call c_f_pointer(stops(k)%normal, normal, [size(x)])
    push = max(0d0, -stops(k)%stiffness * (stops(k)%gap - (dot_product(normal, x) + stops(k)%offset)))
  end function

  ! Newton's correction of the acceleration a that belongs to (x, v) at the end t of a step of length h.
  function correction(p, t, h, x, v, a) result(r)
    type(problem_type), intent(in) :: p
    real(c_double), intent(in) :: t, h, x(:), v(:), a(:)
    real(c_double) :: r(size(x)), slope(size(x), size(x))
    real(c_double), pointer :: normal(:)
    integer :: k, j
    r = 0
    call veridyn_add_loads(p, t, r)
    r = r - matmul(a, mass) - matmul(v, damping) - matmul(x, stiffness)
    slope = mass + h / 2 * damping + h**2 / 4 * stiffness
    do k = 1, p%stops
      if (push(k, x) <= 0) cycle
      call c_f_pointer(stops(k)%normal, normal, [size(x)])
      r = r - push(k, x) * normal
      do j = 1, p%n
        slope(:, j) = slope(:, j) + h**2 / 4 * stops(k)%stiffness * normal(j) * normal
      end do
    end do
    call veridyn_solve_linear(p%n, slope, r)
  end function

  subroutine step(p, t, h, x, v, a)
    type(problem_type), intent(in) :: p
    real(c_double), intent(in) :: t, h
    real(c_double), intent(inout) :: x(:), v(:), a(:)
    real(c_double) :: next(size(x)), change(size(x))
    integer :: pass
    next = a
    do pass = 1, 30
      change = correction(p, t, h, x + h * v + h**2 / 4 * (a + next), v + h / 2 * (a + next), next)
      next = next + change
      if (all(abs(change) <= 1d-13 * abs(next))) exit
    end do
    x = x + h * v + h**2 / 4 * (a + next)
    v = v + h / 2 * (a + next)
    a = next
  end subroutine

  subroutine solve(p, r) bind(c)
    type(problem_type), intent(in) :: p
    type(response_type), intent(inout) :: r
    real(c_double), pointer :: times(:), start(:), rate(:), displacement(:, :), velocity(:, :), force(:, :)
    real(c_double) :: x(p%n), v(p%n), a(p%n), now, h, largest
    integer :: i, j, k, parts
    call c_f_pointer(p%mass, mass, [p%n, p%n])
    call c_f_pointer(p%damping, damping, [p%n, p%n])
    call c_f_pointer(p%stiffness, stiffness, [p%n, p%n])
    call c_f_pointer(p%stop, stops, [p%stops])
    call c_f_pointer(p%times, times, [p%outputs])
    call c_f_pointer(p%displacement, start, [p%n])
    call c_f_pointer(p%velocity, rate, [p%n])
    call c_f_pointer(r%displacement, displacement, [p%n, p%outputs])
    call c_f_pointer(r%velocity, velocity, [p%n, p%outputs])
    call c_f_pointer(r%normal_force, force, [p%outputs, p%stops])
    largest = veridyn_setting(p, "fraction" // c_null_char, 0.005d0) / veridyn_fastest(p)
    x = start
    v = rate
    a = 0
    a = correction(p, p%start, 0d0, x, v, a)
    now = p%start
    do i = 1, p%outputs
      parts = 0
      if (times(i) > now) parts = max(1, ceiling((times(i) - now) / largest - 1d-9))
      h = (times(i) - now) / max(parts, 1)
      do j = 1, parts
        call step(p, now + j * h, h, x, v, a)
      end do
      now = times(i)
      r%steps = r%steps + parts
      displacement(:, i) = x
      velocity(:, i) = v
      do k = 1, p%stops
        force(i, k) = push(k, x)
      end do
    end do
  end subroutine
end module

program mine
  use newmark
  implicit none
  character(*), parameter :: introduction = '{"name": "mine", "version": "0.1", ' // &
    '"capabilities": ["mechanical", "multi-dof", "damping", "damping:coupled", "loads", "contact"], ' // &
    '"settings": {"fraction": "step over the shortest time, a period over 2 pi; default 0.005"}, ' // &
    '"refinement": [{"fraction": 0.02}, {"fraction": 0.01}, {"fraction": 0.005}, {"fraction": 0.0025}], ' // &
    '"claims": {"order": 2, "method": "newmark", "beta": "1/4", "gamma": "1/2"}}'
  if (veridyn_serve(introduction // c_null_char, c_funloc(solve)) /= 0) error stop
end program
