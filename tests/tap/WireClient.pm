# A client that speaks the protocol of the server itself, message by message: the extended protocol with
# parameters and results in binary, portals that are left half read, COPY, and fastpath calls. psql has
# none of these in all versions, and hides what came before an error.
package WireClient;

use strict;
use warnings FATAL => 'all';

use IO::Socket::UNIX;
use Test::More;

# A connection of its own, as that role.
sub new
{
	my ($class, $node, $role, $database) = @_;
	my $path = $node->host . '/.s.PGSQL.' . $node->port;
	my $socket = IO::Socket::UNIX->new(Peer => $path) or die "cannot connect to $path: $!";
	my $self = bless { socket => $socket }, $class;
	my $parameters = pack 'N(Z*)*x', 196608, user => $role, database => $database // 'postgres';
	print $socket pack('N', 4 + length $parameters) . $parameters;
	my $outcome = $self->outcome;
	die "cannot log in: $outcome->{message}" if defined $outcome->{message};
	return $self;
}

sub send_message
{
	my ($self, $type, $payload) = @_;
	print { $self->{socket} } $type . pack('N', 4 + length $payload) . $payload;
	$self->{socket}->flush;
	return $self;
}

sub receive
{
	my ($self, $length) = @_;
	my $bytes = '';
	while (length $bytes < $length)
	{
		read $self->{socket}, $bytes, $length - length $bytes, length $bytes or die 'the server closed the connection';
	}
	return $bytes;
}

# What the server sent until it was ready again, as a record: messages (their types), rows (a list of
# lists of bytes), copied (bytes), returned (of a fastpath call), and of the first error sqlstate and message.
sub outcome
{
	my ($self) = @_;
	my %outcome = (messages => '', rows => [], copied => '');
	while (1)
	{
		my ($type, $length) = unpack 'aN', $self->receive(5);
		my $payload = $self->receive($length - 4);
		$outcome{messages} .= $type;
		last if $type eq 'Z';
		if ($type eq 'D')
		{
			my ($count, @row) = unpack 'n', $payload;
			my $at = 2;
			foreach (1 .. $count)
			{
				my $size = unpack 'l>', substr($payload, $at, 4);
				push @row, $size < 0 ? undef : substr($payload, $at + 4, $size);
				$at += 4 + ($size < 0 ? 0 : $size);
			}
			push @{ $outcome{rows} }, \@row;
		}
		$outcome{copied} .= $payload if $type eq 'd';
		$self->send_message('f', "no\0") if $type eq 'G';    # what it would copy from us
		$outcome{returned} = $payload if $type eq 'V';
		if ($type eq 'E' && !defined $outcome{message})
		{
			my %fields = map { /^(.)(.*)/s } split /\0/, $payload;
			@outcome{qw(sqlstate message)} = @fields{qw(C M)};
		}
	}
	note "$outcome{messages} " . ($outcome{message} // '');
	return \%outcome;
}

# The simple protocol: one string of statements.
sub simple { my ($self, $sql) = @_; note $sql; return $self->send_message('Q', "$sql\0")->outcome }

# The extended protocol. parse() makes a prepared statement, bind() a portal of it, with parameters as
# texts and results in binary unless told; execute() reads that many rows, or all.
sub parse
{
	my ($self, $sql, $name) = @_;
	note "parse $sql";
	return $self->send_message('P', pack 'Z*Z*n', $name // '', $sql, 0);
}

sub bind_to
{
	my ($self, $name, $portal, $parameters, $format) = @_;
	my @parameters = @{ $parameters // [] };
	return $self->send_message('B', pack('Z*Z*nn', $portal // '', $name // '', 0, scalar @parameters)
		  . join('', map { pack 'N/a*', $_ } @parameters) . pack('nn', 1, $format // 1));
}
sub describe { my ($self, $kind, $name) = @_; return $self->send_message('D', pack 'aZ*', $kind, $name // '') }
sub execute { my ($self, $portal, $rows) = @_; return $self->send_message('E', pack 'Z*N', $portal // '', $rows // 0) }
sub sync { my ($self) = @_; return $self->send_message('S', '')->outcome }

# All of it at once.
sub extended
{
	my ($self, $sql, @parameters) = @_;
	return $self->parse($sql)->describe('S')->bind_to('', '', \@parameters)->execute->sync;
}

# A fastpath call of a function by its number.
sub call
{
	my ($self, $function, @arguments) = @_;
	return $self->send_message('F', pack('Nnn', $function, 0, scalar @arguments)
		  . join('', map { pack 'N/a*', $_ } @arguments) . pack('n', 1))->outcome;
}

sub quit { my ($self) = @_; $self->send_message('X', ''); close $self->{socket}; return }

1;
