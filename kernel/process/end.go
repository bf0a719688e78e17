package process

import (
	"context"
	"os"
	"time"
)

// End is how a process ended.
type End struct {
	Time     time.Time // zero: now
	ExitCode *int      // nil: nobody knows
	Reason   string    // "exit", "logout", a signal's name, ...
}

// End keeps the end of a process, durably. A process may go on after its end, and
// end again; the last one counts. Saying the same again changes nothing.
func (s *Store) End(ctx context.Context, project, uuid string, end End) error {
	return failure("end conversation", s.end(ctx, project, uuid, end))
}

func (s *Store) end(ctx context.Context, project, uuid string, end End) error {
	reason, err := s.cleanSmall(ctx, end.Reason)
	if err != nil {
		return err
	}
	if end.Time = utc(end.Time); end.Time.IsZero() {
		end.Time = utc(s.opts.Now())
	}
	root, folder, err := s.place(project, uuid)
	if err != nil {
		return err
	}
	defer root.close()
	return s.withLog(ctx, root, folder, uuid, func(_ *log, at dir, _ *os.File) error {
		old, err := readProcess(at)
		if err != nil {
			return err
		}
		p := old
		p.End, p.ExitCode, p.ExitReason = end.Time, end.ExitCode, reason.text
		trim(&p)
		if same(p, old) {
			return nil
		}
		if err := at.replace(processFile, p); err != nil {
			return err
		}
		s.changed(project, uuid)
		for _, o := range s.opts.Observers {
			o.Ended(p)
		}
		return nil
	})
}
