/// The Lua scripts of the queue. Redis runs each one atomically.
///
/// The schedule is a sorted set of the jobs that wait, by the time at which they become available; the
/// reserved jobs are in another one, by the end of their time. A member is the number of the push with
/// leading zeros, a bar and the id, so that jobs of one time have the order of their pushes.
enum RedisScript {
  static let keys = ["schedule", "reserved", "bodies", "members", "attempts", "dead", "pushes"]

  /// Before each operation, the reservations whose time is up end.
  private static let beginning = """
    local schedule, reserved, bodies, members, attempts, dead, pushes = unpack(KEYS)
    local now, most = tonumber(ARGV[1]), tonumber(ARGV[2])
    local expired = redis.call('ZRANGEBYSCORE', reserved, '-inf', now, 'WITHSCORES')
    for i = 1, #expired, 2 do
      local id = string.sub(expired[i], 18)
      redis.call('ZREM', reserved, expired[i])
      if tonumber(redis.call('HGET', attempts, id)) >= most then
        redis.call('RPUSH', dead, id)
      else
        redis.call('ZADD', schedule, expired[i + 1], expired[i])
      end
    end
    local function holder(id, attempt)
      local member = redis.call('HGET', members, id)
      if member and redis.call('HGET', attempts, id) == attempt
        and redis.call('ZSCORE', reserved, member) then return member end
    end

    """

  /// Arguments: id, body, when it becomes available.
  static let push =
    beginning + """
      if redis.call('HEXISTS', bodies, ARGV[3]) == 1 then return 0 end
      local member = string.format('%016d|%s', redis.call('INCR', pushes), ARGV[3])
      redis.call('HSET', bodies, ARGV[3], ARGV[4])
      redis.call('HSET', members, ARGV[3], member)
      redis.call('HSET', attempts, ARGV[3], 0)
      redis.call('ZADD', schedule, ARGV[5], member)
      return 1
      """

  /// Argument: the end of the reservation.
  static let reserve =
    beginning + """
      local member = redis.call('ZRANGEBYSCORE', schedule, '-inf', now, 'LIMIT', 0, 1)[1]
      if not member then return false end
      local id = string.sub(member, 18)
      redis.call('ZREM', schedule, member)
      redis.call('ZADD', reserved, ARGV[3], member)
      return {id, redis.call('HGET', bodies, id), redis.call('HINCRBY', attempts, id, 1)}
      """

  /// Arguments: id, attempt.
  static let acknowledge =
    beginning + """
      local member = holder(ARGV[3], ARGV[4])
      if not member then return 0 end
      redis.call('ZREM', reserved, member)
      for _, hash in ipairs({bodies, members, attempts}) do redis.call('HDEL', hash, ARGV[3]) end
      return 1
      """

  /// Arguments: id, attempt, when it becomes available again.
  static let retry =
    beginning + """
      local member = holder(ARGV[3], ARGV[4])
      if not member then return 0 end
      redis.call('ZREM', reserved, member)
      if tonumber(ARGV[4]) >= most then
        redis.call('RPUSH', dead, ARGV[3])
      else
        redis.call('ZADD', schedule, ARGV[5], member)
      end
      return 1
      """

  static let deadLetters =
    beginning + """
      local jobs = {}
      for _, id in ipairs(redis.call('LRANGE', dead, 0, -1)) do
        table.insert(jobs, {id, redis.call('HGET', bodies, id)})
      end
      return jobs
      """

  static let size =
    beginning + """
      return redis.call('ZCARD', schedule) + redis.call('ZCARD', reserved)
      """
}
